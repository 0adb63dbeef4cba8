// Tables by category of kernel (docs/rules.md#devices).
#pragma once

#include <array>

#include "model/analysis/naming/kernel_category.h"
#include "model/analysis/ops/op_database.h"

namespace stepscope {

// Sums up the rows of the table `by_category`.
class CategoryTable {
 public:
  // `matrix`: the part of the time that uses the matrix unit.
  void Add(KernelCategory category, Ps time, Ps matrix, uint64_t count, const EventRows& rows);
  // The rows, largest time first. `with_matrix`: with a column for the matrix unit's share.
  ResultTable Take(const char* time_how, bool with_matrix);

 private:
  struct Sum {
    KernelCategory category = KernelCategory::kOther;
    Ps time = 0, matrix = 0;
    uint64_t count = 0;
    EventRows rows;
  };
  std::array<Sum, static_cast<size_t>(KernelCategory::kCount)> sums_;
};

// Device ops by category. An op whose name says nothing has the category in which its kernels
// take the most time. `kernels`: the table of `kernel_stats`, or null.
ResultTable OpCategoryTable(const OpSide& device_side, const ResultTable* kernels);

}  // namespace stepscope
