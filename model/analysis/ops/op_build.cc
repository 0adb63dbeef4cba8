// Builds the op database from the ops of hosts, GPUs and TPU cores.
#include "model/analysis/ops/op_collect.h"
#include "model/analysis/ops/op_database.h"
#include "model/analysis/ops/tpu_ops.h"
#include "model/analysis/steps/scope.h"

namespace stepscope {

namespace {

OpDatabase Build(AnalysisContext& context, const AnalysisParams& params, bool devices,
                 const std::stop_token& stop) {
  const Trace& trace = context.trace();
  OpDatabase db;
  db.hosts.resize(trace.hosts.size());
  const Scope scope = ScopeOf(context, params, stop);
  if (devices) CollectDeviceOps(context, scope, stop, &db.hosts);
  for (uint32_t host = 0; host < db.hosts.size() && !stop.stop_requested(); ++host) {
    HostOps& ops = db.hosts[host];
    ops.host = HostId(host);
    CollectHostOps(context, ops.host, scope, stop, &ops);
    FinishSide(&ops.host_side);
    if (!devices) continue;
    AddTpuOps(trace, context.stats(stop), ops.host, scope, &ops.device_side);
    FinishSide(&ops.device_side);
  }
  return db;
}

}  // namespace

OpDatabase BuildOps(AnalysisContext& context, const AnalysisParams& params, std::stop_token stop) {
  return Build(context, params, true, stop);
}

OpDatabase BuildHostOps(AnalysisContext& context, const AnalysisParams& params,
                        std::stop_token stop) {
  return Build(context, params, false, stop);
}

}  // namespace stepscope
