// StepVerdict: the verdict of the part of a trace that params ask for. The first sentence, the
// findings, the input page and the strip under the menu bar read this one.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/analysis/steps/verdict.h"
#include "model/analysis/tpu/async_waits.h"

namespace stepscope {

struct StepVerdict {
  Verdict verdict;
  std::vector<AsyncWait> waits;  // of TPUs

  static constexpr size_t kKept = 2;
  static AnalysisParams KeyOf(AnalysisParams params);
  // O(idle causes + ops), after steps and ops are known.
  static StepVerdict Compute(AnalysisContext& context, const AnalysisParams& params);
};

// The largest category of the kernels' time in steps that is neither collectives nor copies. None
// for other devices than GPUs, or where most kernels have no category. O(kernels).
std::optional<KernelWork> LargestKernelWork(AnalysisContext& context, const AnalysisParams& params);

}  // namespace stepscope
