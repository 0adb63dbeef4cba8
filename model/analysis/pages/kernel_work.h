// What the kernels of the steps that count do, by category, for the first sentence of the overview
// (docs/rules.md#verdict). Pure; any thread. Times are ps.
#pragma once

#include <array>

#include "model/analysis/devices/step_spans.h"
#include "model/analysis/naming/kernel_category.h"
#include "model/analysis/tables/result_table.h"
#include "model/trace.h"

namespace stepscope {

struct CategoryTime {
  KernelCategory category = KernelCategory::kOther;
  double time = 0, matrix = 0;  // matrix: in kernels that use the matrix unit
};

class CategoryTimes {
 public:
  void Add(KernelCategory category, double time, bool matrix);
  // The largest category that is neither collectives nor copies; null if there is none.
  const CategoryTime* LargestCompute() const;
  double Percent(const CategoryTime& of) const { return all_ > 0 ? 100 * of.time / all_ : 0; }

 private:
  std::array<CategoryTime, static_cast<size_t>(KernelCategory::kCount)> times_;
  double all_ = 0;
};

// `kernels`: the result of the analysis `kernel_stats`. The kernels that begin in the spans count,
// or all if no device has any. O(kernels log lanes).
CategoryTimes KernelTimesInSteps(const Trace& trace, const AnalysisResult& kernels,
                                 const StepSpans& spans);

}  // namespace stepscope
