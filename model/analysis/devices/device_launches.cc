#include "model/analysis/devices/device_launches.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "model/analysis/grouping/host_activity.h"
#include "model/analysis/tables/schema.h"
#include "model/base/sort_runs.h"

namespace stepscope {

std::vector<bool> GraphLaunches(const Trace& trace) {
  const NameTable& names = trace.names();
  std::vector<bool> graphs(names.metas.size());
  for (size_t m = 0; m < graphs.size(); ++m) {
    const std::string_view name = names.strings.View(names.metas[m].name);
    graphs[m] = name.find("GraphLaunch") != name.npos &&  // no other name has the role
                RoleOfHostEvent(name, names.metas[m].category) == HostRole::kGraph;
  }
  return graphs;
}

LaunchReader::LaunchReader(const Trace& trace)
    : calls_(trace.set),
      graph_(std::make_shared<const std::vector<bool>>(GraphLaunches(trace))),
      any_graph_(std::find(graph_->begin(), graph_->end(), true) != graph_->end()) {}

DeviceLaunch LaunchReader::LaunchOf(const Work& work) {
  DeviceLaunch launch;
  launch.call = work.call;
  launch.row = work.row;
  launch.begin = calls_.Start(work.call);
  launch.ready = IsGraph(work.call) ? launch.begin : calls_.End(work.call);
  launch.start = work.start;
  return launch;
}

namespace {

// Gives launches their places lane by lane of the calls, which is in order of the calls' rows. The
// work of one lane mostly comes in the order of its calls.
class PlacesByLane {
 public:
  void Count(uint32_t lane) { ++Of(lane); }
  // After the last Count.
  void Begin() {
    size_t first = 0;
    for (auto& [lane, place] : places_) first += std::exchange(place, first);
  }
  size_t Next(uint32_t lane) { return Of(lane)++; }
  // Calls fn(begin, end) for the places of each lane, which have all been given out.
  template <typename Fn>
  void ForEach(Fn fn) const {
    size_t begin = 0;
    for (const auto& [lane, end] : places_) fn(std::exchange(begin, end), end);
  }

 private:
  size_t& Of(uint32_t lane) {
    if (newest_ == nullptr || newest_lane_ != lane) newest_ = &places_[lane], newest_lane_ = lane;
    return *newest_;
  }
  std::map<uint32_t, size_t> places_;
  size_t* newest_ = nullptr;
  uint32_t newest_lane_ = 0;
};

void SortByCall(std::span<DeviceLaunch> launches) {
  SortRuns(launches.begin(), launches.end(), [](const DeviceLaunch& a, const DeviceLaunch& b) {
    return a.call != b.call ? a.call < b.call : a.start < b.start;
  });
}

}  // namespace

std::vector<DeviceLaunch> LaunchReader::InOrderOfCalls(const StreamWork& stream) {
  std::vector<DeviceLaunch> launches;
  launches.reserve(stream.work.size());
  if (stream.calls_rise) {
    for (const Work& work : stream.work) launches.push_back(LaunchOf(work));
    SortByCall(launches);
    return launches;
  }
  PlacesByLane places;
  for (const Work& work : stream.work) places.Count(calls_.LaneOf(work.call));
  places.Begin();
  launches.resize(stream.work.size());
  for (const Work& work : stream.work)
    launches[places.Next(calls_.LaneOf(work.call))] = LaunchOf(work);
  places.ForEach([&](size_t begin, size_t end) {
    SortByCall(std::span(launches).subspan(begin, end - begin));
  });
  return launches;
}

// `launches`: by call and begin.
void LaunchReader::KeepFirstOfGraphs(std::vector<DeviceLaunch>* launches) {
  size_t kept = 0;
  for (size_t i = 0; i < launches->size(); ++i) {
    const DeviceLaunch& l = (*launches)[i];
    if (kept > 0 && (*launches)[kept - 1].call == l.call && IsGraph(l.call)) continue;
    (*launches)[kept++] = l;
  }
  launches->resize(kept);
}

// Removes the launches of graphs that have begun on their stream before the part asked for.
void LaunchReader::DropBegunGraphs(const DeviceEvents& events, PlaneId device, ByStream* streams) {
  const auto has_graph = [this](const auto& stream) {
    return std::any_of(stream.second.begin(), stream.second.end(),
                       [this](const DeviceLaunch& l) { return IsGraph(l.call); });
  };
  if (std::none_of(streams->begin(), streams->end(), has_graph)) return;
  std::set<std::pair<uint32_t, uint32_t>> begun;  // stream and call
  events.ForEachBefore(device, [&](const DeviceEvent& e) {
    if (e.launch.valid() && IsGraph(e.launch.value)) begun.emplace(e.track.value, e.launch.value);
  });
  if (begun.empty()) return;
  for (auto& [track, launches] : *streams) {
    const uint32_t stream = track.value;
    std::erase_if(launches, [&](const DeviceLaunch& l) {
      return begun.contains({stream, l.call});
    });
  }
  std::erase_if(*streams, [](const auto& stream) { return stream.second.empty(); });
}

LaunchReader::ByStream LaunchReader::Read(const DeviceEvents& events, PlaneId device) {
  std::vector<StreamWork> read;
  events.ForEach(device, [&](const DeviceEvent& e) {
    if (!e.launch.valid()) return;
    if (read.empty() || read.back().track != e.track) {
      read.push_back({e.track});
      // Room that is not used takes no memory.
      read.back().work.reserve(events.trace().set.tracks[e.track.value].events);
    }
    StreamWork& stream = read.back();
    if (!stream.work.empty() && e.launch.value < stream.work.back().call) stream.calls_rise = false;
    stream.work.push_back({e.launch.value, e.row, e.begin});
  });
  ByStream streams;
  for (StreamWork& stream : read) {
    streams.emplace_back(stream.track, InOrderOfCalls(stream));
    stream.work = {};
    KeepFirstOfGraphs(&streams.back().second);
  }
  DropBegunGraphs(events, device, &streams);
  return streams;
}

// How long launched work waits for its stream, and how many launches wait at once.

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
