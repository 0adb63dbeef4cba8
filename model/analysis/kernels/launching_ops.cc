#include "model/analysis/kernels/launching_ops.h"

#include "model/analysis/analysis.h"
#include "model/analysis/intervals/event_order.h"
#include "model/capabilities.h"
#include "model/jobs/job.h"

namespace stepscope {

LaunchingOps::LaunchingOps(const Trace& trace, const StatTable& stats) : trace_(trace) {
  if (!CapabilitiesOf(trace).event_categories) return;
  is_op_ = MetasOf(trace.names(), EventCategory::kCpuOp);
  const std::vector<bool> is_call = MetasOf(trace.names(), EventCategory::kRuntimeCall);
  ParallelFor(2, [&](size_t i) {
    if (i == 0) {
      Index(stats.Int(IntStat::kExternalId), is_op_, &by_external_id_);
    } else {
      Index(stats.Int(IntStat::kCorrelationId), is_call, &by_correlation_);
    }
  });
}

EventRow LaunchingOps::Find(int64_t external_id, int64_t correlation,
                            AncestorReader* ancestors) const {
  if (const EventRow op = by_external_id_.Find(external_id); op.valid()) return op;
  return ancestors->Find(by_correlation_.Find(correlation), is_op_);
}

std::string_view LaunchingOps::NameOf(int64_t external_id, int64_t correlation,
                                      AncestorReader* ancestors) const {
  const EventRow row = Find(external_id, correlation, ancestors);
  return row.valid() ? trace_.set.Name(row) : std::string_view();
}

EventRow LaunchingOps::FirstRows::Find(int64_t id) const {
  if (!table.empty()) return table.Find(id);
  const auto it = sparse.find(id);
  return it != sparse.end() ? EventRow(it->second) : EventRow();
}

void LaunchingOps::Index(const SparseColumn<int64_t>& ids, const std::vector<bool>& wanted,
                         FirstRows* out) const {
  const auto extent = ids.ExtentOf(0, trace_.set.rows);
  const bool dense = out->table.Open(extent.least, extent.greatest, extent.entries);
  RowReader reader(trace_.set);
  ids.ForAll([&](uint32_t row, int64_t id) {
    if (!wanted[reader.Meta(row)]) return;
    if (!dense) {
      out->sparse.try_emplace(id, row);
    } else if (uint32_t& first = out->table.Entry(id); first == 0) {
      first = row + 1;
    }
  });
}

LaunchingOps LaunchingOps::Compute(AnalysisContext& context) {
  return LaunchingOps(context.trace(), context.stats());
}

}  // namespace stepscope
