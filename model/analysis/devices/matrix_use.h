// Tells which ops use the matrix unit (Tensor Cores), by the rows of the table `kernels`
// (docs/rules.md#kernels). Pure; any thread.
#pragma once

#include <string_view>
#include <unordered_map>

#include "model/analysis/tables/result_table.h"

namespace stepscope {

struct MatrixUse {
  double all_us = 0, matrix_us = 0;  // time of all kernels of the op; of those that use the unit
  bool eligible = false, uses = false;
};

// Looks ops up by name. A kernel that no op launched stands under its own name, as it does among
// the ops; by XProf's definitions nothing is said about such kernels. Keeps views into the table,
// which must outlive it. O(rows).
class MatrixUses {
 public:
  // `kernels` may be null: then nothing is known.
  explicit MatrixUses(const ResultTable* kernels);
  MatrixUse Of(std::string_view op) const;

 private:
  std::unordered_map<std::string_view, MatrixUse> uses_;
};

}  // namespace stepscope
