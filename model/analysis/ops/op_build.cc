// Builds the op database from the ops of hosts, GPUs and TPU cores.
#include "model/analysis/ops/op_collect.h"
#include "model/analysis/ops/op_database.h"
#include "model/analysis/steps/scope.h"
#include "model/jobs/job.h"

namespace stepscope {

namespace {

void BuildHosts(AnalysisContext& context, const Scope& scope, OpDatabase* db) {
  for (HostOps& ops : db->hosts) {
    CheckStop();
    CollectHostOps(context, ops.host, scope, &ops);
    FinishSide(&ops.host_side);
  }
}

void BuildDevices(AnalysisContext& context, const Scope& scope, OpDatabase* db) {
  CollectDeviceOps(context, scope, &db->hosts);
  for (HostOps& ops : db->hosts) {
    CheckStop();
    AddTpuOps(context.trace(), context.stats(), ops.host, scope, &ops.device_side);
    FinishSide(&ops.device_side);
  }
}

OpDatabase BuildDatabase(AnalysisContext& context, const AnalysisParams& params, bool devices) {
  OpDatabase db;
  db.hosts.resize(context.trace().hosts.size());
  for (uint32_t host = 0; host < db.hosts.size(); ++host) db.hosts[host].host = HostId(host);
  const Scope scope = ScopeOf(context, params);
  ParallelFor(devices ? 2 : 1, [&](size_t i) {
    if (i == 0) {
      BuildHosts(context, scope, &db);
    } else {
      BuildDevices(context, scope, &db);
    }
  });
  return db;
}

}  // namespace

OpDatabase OpDatabase::Compute(AnalysisContext& context, const AnalysisParams& params) {
  return BuildDatabase(context, params, true);
}

OpDatabase BuildHostOps(AnalysisContext& context, const AnalysisParams& params) {
  return BuildDatabase(context, params, false);
}

AnalysisParams OpDatabase::KeyOf(AnalysisParams params) {
  params.hosts.clear();
  params.peaks.clear();
  params.hlo = {};
  return params;
}

}  // namespace stepscope
