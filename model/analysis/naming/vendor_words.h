// Words that differ between vendors of GPUs: NVIDIA's have Tensor Cores, AMD's have
// Matrix Cores. Analyses write Tensor Core; RunAnalysis (analysis.h) replaces the words
// in their results. Pure; any thread.
#pragma once

#include <string>

#include "model/analysis/tables/result_table.h"
#include "model/trace.h"

namespace stepscope {

// Whether there are GPUs, and all of them are AMD's. O(planes)
bool OnlyAmdGpus(const Trace& trace);

// The text with AMD's words in place of NVIDIA's.
std::string InAmdWords(std::string text);

// Replaces words in headings, labels and findings if all GPUs are AMD's; ids, rows and names of
// kernels stay. O(planes + columns + properties + findings)
void UseVendorWords(const Trace& trace, AnalysisResult* result);

}  // namespace stepscope
