#include "model/analysis/kernels/op_kernels.h"

#include <algorithm>
#include <array>

#include "model/analysis/definitions.h"

namespace stepscope {
namespace {

// The category of an op by its kernels: the one in which they take the most time.
class OpCategories {
 public:
  explicit OpCategories(std::span<const KernelGroup> kernels) {
    KernelCategories categories;
    for (const KernelGroup& kernel : kernels) {
      if (kernel.op_name.empty()) continue;
      times_[kernel.op_name.view()][static_cast<size_t>(categories.Of(kernel.name.view(), {}))] +=
          InUs(kernel.total);
    }
  }
  KernelCategory Of(std::string_view op) const {
    const auto found = times_.find(op);
    if (found == times_.end()) return KernelCategory::kOther;
    const Times& times = found->second;
    return static_cast<KernelCategory>(std::max_element(times.begin(), times.end()) -
                                       times.begin());
  }

 private:
  using Times = std::array<double, static_cast<size_t>(KernelCategory::kCount)>;
  std::unordered_map<std::string_view, Times> times_;  // keys view texts of the kernels
};

}  // namespace

MatrixUses::MatrixUses(std::span<const KernelGroup> kernels, const XprofDefinitions& xprof) {
  const bool ours = !xprof.kernel_columns_of_xprof;
  for (const KernelGroup& kernel : kernels) {
    const std::string_view name = kernel.op_name.empty() && ours ? kernel.name : kernel.op_name;
    if (name.empty()) continue;
    const bool uses = ours ? kernel.uses_matrix_unit : kernel.xprof_uses_tensor_core;
    const double us = kernel.total_us(xprof);
    MatrixUse& use = uses_[name];
    use.all_us += us;
    use.matrix_us += uses ? us : 0;
    use.eligible = use.eligible || kernel.eligible;
    use.uses = use.uses || uses;
  }
}

MatrixUse MatrixUses::Of(std::string_view op) const {
  const auto found = uses_.find(op);
  return found != uses_.end() ? found->second : MatrixUse();
}

ResultTable OpCategoryTable(const OpSide& device_side, std::span<const KernelGroup> kernels) {
  CategoryTable table;
  const OpCategories of_kernels(kernels);
  for (const OpRow& op : device_side.ops) {
    KernelCategory category = CategoryOfKernel({}, op.name);
    if (category == KernelCategory::kOther) category = CategoryOfKernel({}, op.type);
    if (category == KernelCategory::kOther) category = of_kernels.Of(op.name);
    table.Add(category, op.self, 0, op.occurrences, op.rows);
  }
  return table.Take("device time of the ops", false);
}

}  // namespace stepscope
