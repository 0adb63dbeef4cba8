// How long launched work waits for its stream, and how many launches wait at once.
#include <algorithm>

#include "model/analysis/devices/device_launches.h"
#include "model/analysis/devices/device_tables.h"
#include "model/analysis/tables/schema.h"
#include "model/base/sort_runs.h"

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

const Schema<StreamDelays>& DelaySchema() {
  using S = StreamDelays;
  static const Schema<S> schema(
      "launch_delay", "Launch delay",
      {{"host", "Host", Unit::kNone, &S::host},
       {"device", "Device", Unit::kNone, &S::device},
       {"stream", "Stream", Unit::kNone, &S::stream},
       {"launches", "Launches", Unit::kCount, &S::launches,
        "events whose launch is known; of a graph its first event on the stream"},
       {"graph_launches", "Graphs", Unit::kCount, &S::graph_launches,
        "of these, launches of graphs"},
       {"mean_us", "Mean delay", Unit::kUs, &S::mean_us,
        "from the end of the launch call (of a graph: its begin) to the event's begin, at least "
        "0"},
       {"median_us", "Median", Unit::kUs, &S::median_us},
       {"p95_us", "95 %", Unit::kUs, &S::p95_us, "95 % of the delays are at most this"},
       {"max_us", "Max", Unit::kUs, &S::max_us},
       {"queue_mean", "Mean queue", Unit::kNone, &S::queue_mean,
        "launched (from the call's begin) and not yet begun, mean over the time from the first "
        "launch to the last begin"},
       {"queue_max", "Longest queue", Unit::kCount, &S::queue_max, "the most that waits at once"}},
      [](const S& s, const NoFacts&) { return LinkTo(s.rows); });
  return schema;
}

StreamDelays DelaysOfStream(const DeviceEvents& events, PlaneId device, TrackId track,
                            const std::vector<DeviceLaunch>& launches, LaunchReader& reader) {
  const Trace& trace = events.trace();
  StreamDelays s;
  s.host = events.HostOf(device), s.device = events.NameOf(device);
  s.stream = trace.names().strings.View(trace.set.tracks[track.value].name);
  s.launches = launches.size();
  std::vector<Ps> delays;
  std::vector<EventRow> rows;
  delays.reserve(launches.size()), rows.reserve(launches.size());
  for (const DeviceLaunch& l : launches) {
    delays.push_back(l.delay());
    rows.emplace_back(l.row);
    s.graph_launches += reader.IsGraph(l.call) ? 1 : 0;
  }
  SortNumbers(&delays);
  const Delays d = DelaysOf(delays);
  s.mean_us = InUs(d.mean), s.median_us = InUs(d.median);
  s.p95_us = InUs(d.p95), s.max_us = InUs(d.max);
  const Queue queue = QueueOf(launches);
  s.queue_mean = queue.mean, s.queue_max = queue.max;
  s.rows = EventRows(std::move(rows));
  return s;
}

}  // namespace

AnalysisParams LaunchDelays::KeyOf(AnalysisParams params) {
  params.hlo = {};
  params.peaks.clear();
  return params;
}

LaunchDelays LaunchDelays::Compute(AnalysisContext& context, const AnalysisParams& params) {
  const DeviceEvents events(context, params);
  const LaunchReader reader(context.trace());
  return {RowsOfDevices<StreamDelays>(events, [&](PlaneId device, auto* rows) {
    LaunchReader own = reader;
    for (const auto& [track, launches] : own.Read(events, device))
      rows->push_back(DelaysOfStream(events, device, track, launches, own));
  })};
}

ResultTable LaunchDelayTable(const LaunchDelays& delays) {
  return DelaySchema().Make(delays.streams);
}

}  // namespace stepscope
