#include "model/analysis/devices/matrix_use.h"

#include "model/analysis/tables/cells.h"

namespace stepscope {

MatrixUses::MatrixUses(const ResultTable* kernels) {
  if (kernels == nullptr) return;
  const int ours = kernels->Column("uses_matrix_unit");
  const int uses = ours >= 0 ? ours : kernels->Column("is_kernel_using_tensor_core");
  const int op = kernels->Column("op_name"), kernel = kernels->Column("kernel_name"),
            eligible = kernels->Column("is_op_tensor_core_eligible"),
            time = kernels->Column("total_duration_us");
  if (uses < 0 || op < 0 || kernel < 0 || eligible < 0 || time < 0) return;
  for (const std::vector<Value>& row : kernels->rows) {
    const std::string_view name =
        TextAt(row, op).empty() && ours >= 0 ? TextAt(row, kernel) : TextAt(row, op);
    const auto* us = std::get_if<double>(&row[static_cast<size_t>(time)]);
    if (name.empty() || us == nullptr) continue;
    MatrixUse& use = uses_[name];
    use.all_us += *us;
    use.matrix_us += TrueAt(row, uses) ? *us : 0;
    use.eligible = use.eligible || TrueAt(row, eligible);
    use.uses = use.uses || TrueAt(row, uses);
  }
}

MatrixUse MatrixUses::Of(std::string_view op) const {
  const auto found = uses_.find(op);
  return found != uses_.end() ? found->second : MatrixUse();
}

}  // namespace stepscope
