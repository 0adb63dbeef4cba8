#include "model/analysis/ops/host_side_ops.h"

#include <set>
#include <string_view>

#include "model/analysis/naming/op_name.h"

namespace stepscope {

std::vector<uint8_t> HostSideOps(const Trace& trace, const HostOps& ops) {
  std::set<std::string_view> without_kernels;
  bool any = false;
  for (const OpRow& op : ops.host_side.ops) {
    any = any || op.device_time > 0;
    if (op.name.starts_with("aten::") && op.device_time <= 0) without_kernels.insert(op.name);
  }
  if (!any) without_kernels.clear();  // no launch is known, so no op is known to have none
  const NameTable& names = trace.names();
  std::vector<uint8_t> on_host(names.metas.size());
  for (size_t m = 0; m < on_host.size(); ++m) {
    const std::string_view name = names.strings.View(names.metas[m].name);
    on_host[m] =
        without_kernels.contains(name) || ParseOpName(name).category == OpCategory::kTensorFlow;
  }
  return on_host;
}

}  // namespace stepscope
