// Builds the op database from the ops of hosts, GPUs and TPU cores.
#include "model/analysis/ops/op_collect.h"
#include "model/analysis/ops/op_database.h"
#include "model/analysis/ops/tpu_ops.h"
#include "model/analysis/steps/scope.h"

namespace stepscope {

OpDatabase BuildOps(AnalysisContext& context, const AnalysisParams& params, std::stop_token stop) {
  const Trace& trace = context.trace();
  OpDatabase db;
  db.hosts.resize(trace.hosts.size());
  const Scope scope = ScopeOf(context, params, stop);
  CollectDeviceOps(context, scope, stop, &db.hosts);
  for (uint32_t host = 0; host < db.hosts.size() && !stop.stop_requested(); ++host) {
    HostOps& ops = db.hosts[host];
    ops.host = HostId(host);
    CollectHostOps(context, ops.host, scope, stop, &ops);
    AddTpuOps(trace, context.stats(stop), ops.host, scope, &ops.device_side);
    FinishSide(&ops.host_side);
    FinishSide(&ops.device_side);
  }
  return db;
}

}  // namespace stepscope
