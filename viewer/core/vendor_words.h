// Words that depend on who made the GPUs: NVIDIA's have Tensor Cores, AMD's have matrix cores.
#pragma once

#include "model/analysis/result_table.h"
#include "model/trace.h"

namespace stepscope {

// Changes headings, labels and findings of a result; names and numbers of rows stay. Analyses call
// the unit Tensor Core. O(columns + properties + findings)
void UseVendorWords(const Trace& trace, AnalysisResult* result);

}  // namespace stepscope
