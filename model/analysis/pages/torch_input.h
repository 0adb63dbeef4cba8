// PyTorch's part of the input pipeline: waits for data loaders, and copies to the device
// (docs/rules.md#input-pipeline).
#pragma once

#include "model/analysis/analysis.h"

namespace stepscope {

// Adds the tables `loader_waits` and, with GPUs, `copies`, with their sums as properties. Adds
// nothing for traces that are not PyTorch's.
void AddTorchInput(AnalysisContext& context, const AnalysisParams& params, AnalysisResult* result);

}  // namespace stepscope
