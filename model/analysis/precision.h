// The share of device work that computes with 16 bits or fewer (docs/rules.md#precision): by what
// PyTorch recorded of the op's inputs, else by the kernel's name. Names and texts are looked at
// once each. O(events log events).
#pragma once

#include <stop_token>

#include "model/analysis/analysis.h"

namespace stepscope {

struct StepDatabase;  // model/analysis/steps.h

// Time of kernels, collectives left out, ps: of 16 bits and fewer, and all.
struct PrecisionTimes {
  double narrow = 0, all = 0;
  double percent() const { return all > 0 ? 100 * narrow / all : 0; }
};
// Of the kernels in the steps; without steps of all in the part asked for.
PrecisionTimes ComputePrecision(AnalysisContext& context, const AnalysisParams& params,
                                const StepDatabase& steps, std::stop_token stop);

}  // namespace stepscope
