// Words that differ between devices: NVIDIA's GPUs have Tensor Cores, AMD's have Matrix Cores; the
// memories and the classes of a step of TPUs have names of their own. Analyses write NVIDIA's
// words; RunAnalysis (analysis.h) replaces them in their results. Pure; any thread.
#pragma once

#include <string>

#include "model/analysis/tables/result_table.h"
#include "model/trace.h"

namespace stepscope {

// Whether there are GPUs, and all of them are AMD's. O(planes)
bool OnlyAmdGpus(const Trace& trace);

// The text with AMD's words in place of NVIDIA's.
std::string InAmdWords(std::string text);

// Replaces words in headings, labels and findings if all GPUs are AMD's, or if there are TPUs; ids,
// rows and names of kernels stay. O(planes + columns + properties + findings)
void UseVendorWords(const Trace& trace, AnalysisResult* result);

}  // namespace stepscope
