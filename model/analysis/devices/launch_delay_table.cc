// How long launched work waits for its stream, and how many launches wait at once.
#include <algorithm>

#include "model/analysis/devices/device_launches.h"
#include "model/analysis/devices/device_tables.h"
#include "model/analysis/tables/in_unit.h"
#include "model/base/sort_numbers.h"

namespace stepscope {
namespace {

struct Delays {
  double mean = 0, median = 0, p95 = 0, max = 0;  // ps
};

// `sorted` ascends and is not empty. p95 is the smallest value that 95 % do not exceed
// (docs/rules.md#devices).
Delays DelaysOf(const std::vector<Ps>& sorted) {
  const size_t n = sorted.size();
  double sum = 0;
  for (const Ps delay : sorted) sum += static_cast<double>(delay);
  const auto at = [&](size_t i) { return static_cast<double>(sorted[i]); };
  return {sum / static_cast<double>(n), (at((n - 1) / 2) + at(n / 2)) / 2,
          at((95 * n + 99) / 100 - 1), at(n - 1)};
}

struct Queue {
  int64_t max = 0;
  double mean = 0;
};

// How many launches wait at once: a launch waits from the begin of its call until its work starts.
Queue QueueOf(const std::vector<DeviceLaunch>& launches) {
  std::vector<Ps> in, out;
  in.reserve(launches.size()), out.reserve(launches.size());
  double waited = 0;
  for (const DeviceLaunch& l : launches) {
    in.push_back(l.begin);
    out.push_back(l.begun());
    waited += static_cast<double>(out.back() - l.begin);
  }
  SortNumbers(&in);
  SortNumbers(&out);
  Queue queue;
  for (size_t i = 0, left = 0; i < in.size(); ++i) {
    while (left < out.size() && out[left] <= in[i]) ++left;
    // A launch whose work starts at once never waits.
    queue.max = std::max(queue.max,
                         static_cast<int64_t>(i + 1) - static_cast<int64_t>(std::min(left, i + 1)));
  }
  const double span = static_cast<double>(out.back() - in.front());
  queue.mean = span > 0 ? waited / span : 0;
  return queue;
}

std::vector<ColumnDesc> LaunchDelayColumns() {
  using V = ValueType;
  return {{"host", "Host", Unit::kNone, V::kString, ""},
          {"device", "Device", Unit::kNone, V::kString, ""},
          {"stream", "Stream", Unit::kNone, V::kString, ""},
          {"launches", "Launches", Unit::kCount, V::kInt,
           "events whose launch is known; of a graph its first event on the stream"},
          {"graph_launches", "Graphs", Unit::kCount, V::kInt, "of these, launches of graphs"},
          {"mean_us", "Mean delay", Unit::kUs, V::kReal,
           "from the end of the launch call (of a graph: its begin) to the event's begin, at least "
           "0"},
          {"median_us", "Median", Unit::kUs, V::kReal, ""},
          {"p95_us", "95 %", Unit::kUs, V::kReal, "95 % of the delays are at most this"},
          {"max_us", "Max", Unit::kUs, V::kReal, ""},
          {"queue_mean", "Mean queue", Unit::kNone, V::kReal,
           "launched (from the call's begin) and not yet begun, mean over the time from the first "
           "launch to the last begin"},
          {"queue_max", "Longest queue", Unit::kCount, V::kInt, "the most that waits at once"}};
}

// Adds the streams of a device as rows.
void AddDevice(const Trace& trace, const DeviceEvents& events, PlaneId device, LaunchReader reader,
               ResultTable* t) {
  for (const auto& [track, launches] : reader.Read(events, device)) {
    std::vector<Ps> delays;
    std::vector<EventRow> rows;
    delays.reserve(launches.size()), rows.reserve(launches.size());
    int64_t graphs = 0;
    for (const DeviceLaunch& l : launches) {
      delays.push_back(l.delay());
      rows.emplace_back(l.row);
      graphs += reader.IsGraph(l.call) ? 1 : 0;
    }
    SortNumbers(&delays);
    const Delays d = DelaysOf(delays);
    const Queue queue = QueueOf(launches);
    const Track& stream = trace.set.tracks[track.value];
    t->rows.push_back({events.HostOf(device), events.NameOf(device),
                       SharedText(trace.names().strings.View(stream.name)),
                       static_cast<int64_t>(launches.size()), graphs, InUs(d.mean), InUs(d.median),
                       InUs(d.p95), InUs(d.max), queue.mean, queue.max});
    t->links.push_back(LinkTo(EventRows(std::move(rows))));
  }
}

}  // namespace

ResultTable LaunchDelayTable(AnalysisContext& context, const DeviceEvents& events) {
  const Trace& trace = context.trace();
  ResultTable t{"launch_delay", "Launch delay", LaunchDelayColumns(), {}, {}};
  const LaunchReader reader(trace);
  AppendDevices(events, &t, [&](PlaneId device, ResultTable* of_device) {
    AddDevice(trace, events, device, reader, of_device);
  });
  return t;
}

}  // namespace stepscope
