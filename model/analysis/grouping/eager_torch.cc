#include "model/analysis/grouping/eager_torch.h"

#include <atomic>
#include <cstdint>
#include <string_view>
#include <vector>

#include "model/analysis/grouping/host_activity.h"
#include "model/analysis/grouping/lane_parts.h"
#include "model/analysis/intervals/enclosing.h"
#include "model/analysis/intervals/event_order.h"
#include "model/analysis/naming/program.h"
#include "model/base/column.h"
#include "model/jobs/job.h"

namespace stepscope {
namespace {

// TorchNames says, by MetaId, which events of a PyTorch recording are ops, regions or launches of
// graphs.
struct TorchNames {
  explicit TorchNames(const NameTable& names);
  std::vector<bool> op, region, graph;
  bool graphs = false;  // whether any call launches graphs
};

TorchNames::TorchNames(const NameTable& names)
    : op(names.metas.size()), region(op.size()), graph(op.size()) {
  for (size_t m = 0; m < op.size(); ++m) {
    const EventMeta& meta = names.metas[m];
    const std::string_view name = names.strings.View(meta.name);
    op[m] = meta.category == EventCategory::kCpuOp;
    region[m] = IsCompiledRegion(name);
    graph[m] = meta.category == EventCategory::kRuntimeCall &&
               RoleOfHostEvent(name, meta.category) == HostRole::kGraph;
    graphs = graphs || graph[m];
  }
}

enum OpMark : uint8_t { kLaunches = 1, kInside = 2, kEager = 4 };

// Marks which ops are eager, and which launches are inside a region. Rows are asked about in their
// order, because what is near the row before is found quickly.
void MarkOps(const LanePart& part, const std::vector<bool>& op, const Enclosing& regions,
             Column<uint8_t>* marks) {
  Enclosing::Reader around(regions);
  for (uint32_t i = part.begin; i < part.end; ++i) {
    const EventRow row(part.lane->first_row + i);
    uint8_t& mark = (*marks)[row.value];
    const bool is_op = op[part.lane->meta[i]];
    if (!is_op && mark == 0) continue;
    if (around.Around(row).valid()) {
      mark |= kInside;
    } else if (is_op) {
      mark |= kEager;
    }
  }
}

}  // namespace

void MarkTorchEager(const Trace& trace, Grouping* grouping) {
  TorchNames names(trace.names());
  const Enclosing regions(trace, names.region);
  // Without compiled regions and graphs all work is eager, also that of unknown launches.
  const bool all = !names.graphs && regions.empty();
  const std::vector<EventMeta>& metas = trace.names().metas;
  for (size_t m = 0; all && m < metas.size(); ++m)
    names.op[m] = names.op[m] || IsDeviceWork(metas[m].category);
  Column<uint8_t> marks;  // by row
  marks.Zero(trace.set.rows);
  const LaunchLinks& launches = grouping->launches;
  ForParts(launches.size(), [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i)  // another thread may have work of the same call
      std::atomic_ref(marks[launches[i].launch_row]).store(kLaunches, std::memory_order_relaxed);
  });
  std::vector<LanePart> parts;
  AppendParts(trace.set.lanes, &parts);
  ParallelFor(parts.size(), [&](size_t i) { MarkOps(parts[i], names.op, regions, &marks); });
  // Each work has one launch, so threads write different rows.
  ForParts(launches.size(), [&](size_t begin, size_t end) {
    RowReader calls(trace.set);
    for (size_t i = begin; i < end; ++i) {
      const uint32_t call = launches[i].launch_row;
      const bool eager = !names.graph[calls.Meta(call)] && (marks[call] & kInside) == 0;
      marks[launches[i].device_row] = eager ? kEager : 0;
    }
  });
  // Threads write different words of the vector.
  static_assert(kRowsAtATime % 64 == 0);
  grouping->eager.assign(trace.set.rows, false);
  ForParts(trace.set.rows, [&](size_t begin, size_t end) {
    for (size_t row = begin; row < end; ++row) grouping->eager[row] = (marks[row] & kEager) != 0;
  });
}

}  // namespace stepscope
