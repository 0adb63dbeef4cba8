#include "model/analysis/grouping/eager_torch.h"

#include <string_view>

#include "model/analysis/grouping/host_activity.h"
#include "model/analysis/intervals/enclosing.h"
#include "model/analysis/intervals/event_order.h"
#include "model/analysis/naming/program.h"

namespace stepscope {
void MarkTorchEager(const Trace& trace, Grouping* grouping) {
  const std::vector<EventMeta>& metas = trace.names().metas;
  std::vector<bool> op(metas.size()), region(metas.size()), graph(metas.size());
  bool graphs = false;
  for (size_t m = 0; m < metas.size(); ++m) {
    const std::string_view name = trace.names().strings.View(metas[m].name);
    op[m] = metas[m].category == EventCategory::kCpuOp;
    region[m] = IsCompiledRegion(name);
    graph[m] = metas[m].category == EventCategory::kRuntimeCall &&
               RoleOfHostEvent(name, metas[m].category) == HostRole::kGraph;
    graphs = graphs || graph[m];
  }
  const Enclosing regions(trace, region);
  Enclosing::Reader around(regions);
  // Without compiled regions and graphs all work is eager, also that of unknown launches.
  const bool all = !graphs && regions.empty();
  for (size_t m = 0; all && m < metas.size(); ++m) op[m] = op[m] || IsDeviceWork(metas[m].category);
  std::vector<bool>& eager = grouping->eager;
  eager.assign(trace.set.rows, false);
  // By row: whether a call launches work, and whether the event is inside a region. Rows are asked
  // about in their order, because what is near the row before is found quickly.
  std::vector<bool> launches(trace.set.rows), inside(trace.set.rows);
  for (const LaunchLink& link : grouping->launches) launches[link.launch_row] = true;
  for (const Lane& lane : trace.set.lanes) {
    for (uint32_t i = 0; i < lane.size(); ++i) {
      const EventRow row(lane.first_row + i);
      if (!op[lane.meta[i]] && !launches[row.value]) continue;
      inside[row.value] = around.Around(row).valid();
      eager[row.value] = op[lane.meta[i]] && !inside[row.value];
    }
  }
  RowReader calls(trace.set);
  for (const LaunchLink& link : grouping->launches)
    eager[link.device_row] = !graph[calls.Meta(link.launch_row)] && !inside[link.launch_row];
}

}  // namespace stepscope
