// Which ops use the matrix unit: by the rows of the table `kernels` (docs/rules.md#kernels).
#pragma once

#include <string_view>
#include <unordered_map>

#include "model/analysis/result_table.h"

namespace stepscope {

struct MatrixUse {
  double all_us = 0, matrix_us = 0;  // of the kernels; in those that use the matrix unit
  bool eligible = false, uses = false;
};

// By op. A kernel that no op launched stands under its own name, as it does among the ops, where
// the table says by our rule who uses the unit; XProf's says nothing of them. Views the table,
// which must outlive it. Pure, O(rows).
class MatrixUses {
 public:
  explicit MatrixUses(const ResultTable* kernels);  // null: they are not known
  MatrixUse Of(std::string_view op) const;

 private:
  std::unordered_map<std::string_view, MatrixUse> uses_;
};

}  // namespace stepscope
