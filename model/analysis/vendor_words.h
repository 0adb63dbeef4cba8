// Words that depend on who made the GPUs: NVIDIA's have Tensor Cores, AMD's have matrix cores.
// Analyses write the unit as Tensor Core; what they return is amended in one place (RunAnalysis,
// analysis.h).
#pragma once

#include <string>

#include "model/analysis/result_table.h"
#include "model/trace.h"

namespace stepscope {

// Whether all GPUs are AMD's, and there are some. O(planes)
bool OnlyAmdGpus(const Trace& trace);

// A text about GPUs in AMD's words.
std::string InAmdWords(std::string text);

// Changes headings, labels and findings of a result on AMD's GPUs; ids, names and numbers of rows
// stay. O(planes + columns + properties + findings)
void UseVendorWords(const Trace& trace, AnalysisResult* result);

}  // namespace stepscope
