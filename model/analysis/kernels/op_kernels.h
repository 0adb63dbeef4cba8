// What the kernels of an op tell about it: whether it uses the matrix unit (Tensor Cores), and of
// which category it is (docs/rules.md#kernels). Pure; any thread.
#pragma once

#include <span>
#include <string_view>
#include <unordered_map>

#include "model/analysis/kernels/kernel_stats.h"
#include "model/analysis/ops/op_database.h"

namespace stepscope {

struct MatrixUse {
  double all_us = 0, matrix_us = 0;  // time of all kernels of the op; of those that use the unit
  bool eligible = false, uses = false;
};

// Looks ops up by name. A kernel that no op launched stands under its own name, as it does among
// the ops; by XProf's definitions nothing is said about such kernels. Keeps views into the kernels,
// which must outlive it. O(kernels).
class MatrixUses {
 public:
  MatrixUses(std::span<const KernelGroup> kernels, const XprofDefinitions& xprof);
  MatrixUse Of(std::string_view op) const;

 private:
  std::unordered_map<std::string_view, MatrixUse> uses_;
};

// Device ops by category. An op whose name says nothing has the category in which its kernels
// take the most time.
ResultTable OpCategoryTable(const OpSide& device_side, std::span<const KernelGroup> kernels);

}  // namespace stepscope
