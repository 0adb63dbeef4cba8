// Tables by category of kernel (docs/rules.md#devices).
#pragma once

#include <array>

#include "model/analysis/naming/kernel_category.h"
#include "model/analysis/ops/op_database.h"

namespace stepscope {

struct CategorySum {
  KernelCategory category = KernelCategory::kOther;
  Ps time = 0, matrix = 0;  // matrix: in kernels that use the matrix unit
  uint64_t count = 0;
  EventRows rows;
};

// Sums up the rows of the table `by_category`.
class CategoryTable {
 public:
  // `matrix`: the part of the time that uses the matrix unit.
  void Add(KernelCategory category, Ps time, Ps matrix, uint64_t count, const EventRows& rows);
  // The rows, largest time first. `with_matrix`: with a column for the matrix unit's share.
  ResultTable Take(const char* time_how, bool with_matrix);

 private:
  std::array<CategorySum, static_cast<size_t>(KernelCategory::kCount)> sums_;
};

}  // namespace stepscope
