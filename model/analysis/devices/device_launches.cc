#include "model/analysis/devices/device_launches.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "model/analysis/grouping/host_activity.h"
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

}  // namespace stepscope
