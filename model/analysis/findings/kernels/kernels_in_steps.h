// The kernels of the steps that findings are of. Pure; any thread.
#pragma once

#include <vector>

#include "model/analysis/kernels/kernel_stats.h"

namespace stepscope {

// KernelStats::kernels with the times, numbers and events of the kernels that begin in a step that
// counts (JudgedSteps::judged); a group without such a kernel has none of them. All kernels if no
// device has steps. `min` and `max` are those of all.
struct KernelsInSteps {
  std::vector<KernelGroup> kernels;

  static AnalysisParams KeyOf(AnalysisParams params) { return KernelStats::KeyOf(params); }
  // O(kernels log lanes), parallel over groups.
  static KernelsInSteps Compute(AnalysisContext& context, const AnalysisParams& params);
};

}  // namespace stepscope
