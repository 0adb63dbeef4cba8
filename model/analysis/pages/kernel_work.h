// What the kernels of the steps that count do, by category, for the first sentence of the overview
// (docs/rules.md#verdict). Pure; any thread. Times are ps.
#pragma once

#include <array>

#include "model/analysis/naming/kernel_category.h"

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

}  // namespace stepscope
