// How busy each device is, and how full its kernels make it.
#include <algorithm>
#include <iterator>
#include <unordered_map>

#include "model/analysis/devices/device_launches.h"
#include "model/analysis/devices/device_tables.h"
#include "model/analysis/devices/run_reader.h"
#include "model/analysis/grouping/host_activity.h"
#include "model/analysis/intervals/event_order.h"
#include "model/analysis/naming/device_type.h"
#include "model/analysis/naming/kernel_rules.h"
#include "model/capabilities.h"
#include "model/jobs/job.h"
#include "model/string_pool.h"

namespace stepscope {
namespace {

// A mean weighted by time.
struct Mean {
  double sum = 0, weight = 0;
  void Add(double value, double w) { sum += value * w, weight += w; }
  Value Get() const { return weight > 0 ? Value(sum / weight) : Value(); }
};

// Sums how long anything runs. Takes events in order of begin.
struct BusySpan {
  Ps first = kMaxPs, last = kMinPs, busy = 0;
  void Add(Ps begin, Ps end) {
    first = std::min(first, begin);
    busy += std::max<Ps>(0, end - std::max(begin, last));
    last = std::max(last, end);
  }
};

struct DeviceUse {
  Mean occupancy, efficiency;
  int64_t kernels = 0, of_graphs = 0;
  std::vector<uint32_t> graphs;  // launches of graphs that were seen
  std::vector<EventRow> rows;
};

class UseReader {
 public:
  // `graphs`: by MetaId, whether it is a call that launches a graph.
  UseReader(AnalysisContext& context, const std::vector<bool>& graphs)
      : trace_(context.trace()),
        stats_(context.stats()),
        occupancy_(stats_.Real(RealStat::kOccupancyPct)),
        x_(stats_.Int(IntStat::kGridX)),
        y_(stats_.Int(IntStat::kGridY)),
        z_(stats_.Int(IntStat::kGridZ)),
        exec_(stats_.Int(IntStat::kCudaGraphExecId)),
        details_(stats_.Text(StringStat::kKernelDetails)),
        calls_(trace_.set),
        categories_(CapabilitiesOf(trace_).event_categories),
        graph_(graphs),
        any_graph_(std::find(graphs.begin(), graphs.end(), true) != graphs.end()) {}

  void Add(const DeviceEvent& e, int64_t processors, DeviceUse* use) {
    const StringId details = details_.Get(e.row, StringId(0));
    const bool kernel = categories_
                            ? trace_.names().metas[e.meta].category == EventCategory::kKernel
                            : details.value != 0;
    if (!kernel) return;
    ++use->kernels;
    use->rows.emplace_back(e.row);
    const double time = static_cast<double>(e.length());
    const double occupancy = details.value != 0 ? OccupancyIn(details) : occupancy_.Get(e.row, 0);
    if (occupancy > 0) use->occupancy.Add(occupancy, time);
    const int64_t x = x_.Get(e.row, 0);
    if (processors > 0 && x > 0) {  // a grid as numbers comes from Kineto
      const double blocks = static_cast<double>(x) * static_cast<double>(y_.Get(e.row, 1)) *
                            static_cast<double>(z_.Get(e.row, 1));
      use->efficiency.Add(std::min(1.0, blocks / static_cast<double>(processors)), time);
    }
    AddGraph(e, use);
  }

 private:
  void AddGraph(const DeviceEvent& e, DeviceUse* use) {
    const bool called = any_graph_ && e.launch.valid() && graph_[calls_.Meta(e.launch.value)];
    if (!called && exec_.Get(e.row, 0) == 0) return;
    ++use->of_graphs;
    if (e.launch.valid() && (use->graphs.empty() || use->graphs.back() != e.launch.value))
      use->graphs.push_back(e.launch.value);
  }
  double OccupancyIn(StringId details) {
    const auto [it, added] = of_details_.try_emplace(details.value, 0.0);
    if (added) it->second = ParseKernelDetails(stats_.strings->View(details)).occupancy_pct;
    return it->second;
  }

  const Trace& trace_;
  const StatTable& stats_;
  RunReader<double> occupancy_;
  RunReader<int64_t> x_, y_, z_, exec_;
  RunReader<StringId> details_;
  RowReader calls_;
  const bool categories_;
  const std::vector<bool>& graph_;
  const bool any_graph_;
  std::unordered_map<uint32_t, double> of_details_;
};

std::vector<ColumnDesc> DeviceUseColumns() {
  using V = ValueType;
  return {{"host", "Host", Unit::kNone, V::kString, ""},
          {"device", "Device", Unit::kNone, V::kString, ""},
          {"name", "Name", Unit::kNone, V::kString, "as the recording has it"},
          {"busy_percent", "Busy in span", Unit::kPercent, V::kReal,
           "time with an event open (union) / from the first event to the last"},
          {"busyMs", "Busy time", Unit::kMs, V::kReal, ""},
          {"spanMs", "Span", Unit::kMs, V::kReal, "from the first event's begin to the last end"},
          {"occupancy_pct", "Mean occupancy", Unit::kPercent, V::kReal,
           "of the kernels that have one, weighted by duration"},
          {"sm_efficiency_percent", "Estimated SM efficiency", Unit::kPercent, V::kReal,
           "min(1, blocks of the grid / multiprocessors) of the kernels, weighted by duration; "
           "where both are recorded (PyTorch)"},
          {"kernels", "Kernels", Unit::kCount, V::kInt, ""},
          {"graph_kernels", "Of graphs", Unit::kCount, V::kInt,
           "kernels that the launch of a graph started"},
          {"graph_launches", "Graph launches", Unit::kCount, V::kInt,
           "calls that started them, each once, where the first of its kernels begins"}};
}

void SortUnique(std::vector<uint32_t>* ids) {
  std::sort(ids->begin(), ids->end());
  ids->erase(std::unique(ids->begin(), ids->end()), ids->end());
}

// The number of ids in `some` that are not in `others`.
int64_t Without(std::vector<uint32_t> some, std::vector<uint32_t> others) {
  SortUnique(&some);
  SortUnique(&others);
  std::vector<uint32_t> left;
  std::set_difference(some.begin(), some.end(), others.begin(), others.end(),
                      std::back_inserter(left));
  return static_cast<int64_t>(left.size());
}

}  // namespace

void AppendDevices(const DeviceEvents& events, ResultTable* t,
                   const std::function<void(PlaneId, ResultTable*)>& fill) {
  const std::vector<PlaneId>& devices = events.devices();
  std::vector<ResultTable> parts(devices.size());
  for (ResultTable& part : parts) {
    for (const TableColumn& column : t->columns) part.AddColumn(column);
  }
  ParallelFor(parts.size(), [&](size_t d) { fill(devices[d], &parts[d]); });
  for (const ResultTable& part : parts) t->Append(part);
}

ResultTable DeviceTable(AnalysisContext& context, const DeviceEvents& events) {
  ResultTable t{"devices", "Devices", DeviceUseColumns()};
  const std::vector<bool> graphs = GraphLaunches(context.trace());
  AppendDevices(events, &t, [&](PlaneId device, ResultTable* of_device) {
    UseReader reader(context, graphs);
    const DeviceFacts facts = DeviceFactsOf(context.trace().planes[device.value]);
    BusySpan span;
    events.ForEachByBegin(device, [&](const DeviceEvent& e) { span.Add(e.begin, e.end); });
    if (span.first > span.last) return;
    DeviceUse use;
    events.ForEach(device, [&](const DeviceEvent& e) { reader.Add(e, facts.processors, &use); });
    DeviceUse before;  // a graph that began there is not launched again in the part asked for
    if (!use.graphs.empty())
      events.ForEachBefore(device, [&](const DeviceEvent& e) { reader.Add(e, 0, &before); });
    const double busy = static_cast<double>(span.busy);
    const double whole = static_cast<double>(span.last - span.first);
    Mean percent = use.efficiency;
    percent.sum *= 100;
    const double ms = static_cast<double>(kPsPerMs);
    of_device->AddRow({events.HostOf(device), events.NameOf(device), facts.name, 100 * busy / whole,
                       busy / ms, whole / ms, use.occupancy.Get(), percent.Get(), use.kernels,
                       use.of_graphs, Without(use.graphs, before.graphs)});
    of_device->links.push_back(LinkTo(EventRows(std::move(use.rows))));
  });
  return t;
}

}  // namespace stepscope
