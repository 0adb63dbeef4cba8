// What pages show of PyTorch's ops: the table `torch_ops` of the roofline, and how much of its peak
// a step uses (docs/rules.md#pytorch-ops).
#pragma once

#include "model/analysis/analysis.h"
#include "model/analysis/steps/steps.h"

namespace stepscope {

// Adds the table `torch_ops` and its properties. Adds nothing for traces that are not PyTorch's,
// and returns whether there is any op.
bool AddTorchRoofline(AnalysisContext& context, const AnalysisParams& params,
                      AnalysisResult* result);

// Whether AddModelFlops may add something to the overview of such a trace, for which it then asks
// AnalysisContext::torch_ops.
bool HasModelFlops(const Trace& trace);

// Adds `flops_per_step`, `step_tflops_per_s` and `mfu_percent`, of the steps that count: operations
// of products of matrices, convolutions and attention. Adds nothing without devices or shapes.
void AddModelFlops(AnalysisContext& context, const AnalysisParams& params, const StepDatabase& db,
                   AnalysisResult* result);

}  // namespace stepscope
