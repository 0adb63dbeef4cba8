// Builds the op database from the ops of hosts, GPUs and TPU cores.
#include "model/analysis/ops/op_collect.h"
#include "model/analysis/ops/op_database.h"
#include "model/analysis/ops/tpu_ops.h"
#include "model/analysis/steps/scope.h"
#include "model/base/task.h"

namespace stepscope {

namespace {

void BuildHosts(AnalysisContext& context, const Scope& scope, const std::stop_token& stop,
                OpDatabase* db) {
  for (HostOps& ops : db->hosts) {
    if (stop.stop_requested()) return;
    CollectHostOps(context, ops.host, scope, stop, &ops);
    FinishSide(&ops.host_side);
  }
}

void BuildDevices(AnalysisContext& context, const Scope& scope, const std::stop_token& stop,
                  OpDatabase* db) {
  CollectDeviceOps(context, scope, stop, &db->hosts);
  for (HostOps& ops : db->hosts) {
    if (stop.stop_requested()) return;
    AddTpuOps(context.trace(), context.stats(stop), ops.host, scope, &ops.device_side);
    FinishSide(&ops.device_side);
  }
}

OpDatabase Build(AnalysisContext& context, const AnalysisParams& params, bool devices,
                 const std::stop_token& stop) {
  OpDatabase db;
  db.hosts.resize(context.trace().hosts.size());
  for (uint32_t host = 0; host < db.hosts.size(); ++host) db.hosts[host].host = HostId(host);
  const Scope scope = ScopeOf(context, params, stop);
  ParallelFor(devices ? 2 : 1, [&](size_t i) {
    if (i == 0) {
      BuildHosts(context, scope, stop, &db);
    } else {
      BuildDevices(context, scope, stop, &db);
    }
  });
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
