// Tables of the kernels of graphs, for the analysis `kernel_stats` (docs/graphs.md).
#pragma once

#include "model/analysis/analysis.h"

namespace stepscope {

// Appends `graphs`, `graph_ops` and `graph_kernels`, or nothing where the trace launches no
// graphs. O(kernels log kernels), and one read of the file for each row of `graph_kernels`.
void AddGraphTables(AnalysisContext& context, const AnalysisParams& params, AnalysisResult* result);

}  // namespace stepscope
