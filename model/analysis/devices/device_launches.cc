#include "model/analysis/devices/device_launches.h"

#include <algorithm>
#include <map>
#include <set>
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
      works_(trace.set),
      graph_(std::make_shared<const std::vector<bool>>(GraphLaunches(trace))),
      any_graph_(std::find(graph_->begin(), graph_->end(), true) != graph_->end()) {}

DeviceLaunch LaunchReader::LaunchOf(uint32_t call, uint32_t row) {
  DeviceLaunch launch;
  launch.call = call;
  launch.row = row;
  launch.begin = calls_.Start(call);
  launch.ready = IsGraph(call) ? launch.begin : calls_.End(call);
  launch.start = works_.Start(row);
  return launch;
}

// The work of one lane of calls mostly comes in the order of its calls. That of several lanes
// alternates, so the launches of each lane are put in order on their own.
std::vector<DeviceLaunch> LaunchReader::InOrderOfCalls(std::span<const CallAndRow> all) {
  std::map<uint32_t, size_t> places;  // by lane: the number of its launches, then its next one
  for (const CallAndRow& launch : all) ++places[calls_.LaneOf(launch.call)];
  size_t first = 0;
  for (auto& [lane, place] : places) first += std::exchange(place, first);
  std::vector<DeviceLaunch> launches(all.size());
  for (const CallAndRow& launch : all)
    launches[places[calls_.LaneOf(launch.call)]++] = LaunchOf(launch.call, launch.row);
  auto begin = launches.begin();
  for (const auto& [lane, end] : places) {
    const auto last = launches.begin() + static_cast<std::ptrdiff_t>(end);
    SortRuns(begin, last, [](const DeviceLaunch& a, const DeviceLaunch& b) {
      return a.call != b.call ? a.call < b.call : a.start < b.start;
    });
    begin = last;
  }
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
  std::vector<std::pair<TrackId, std::vector<CallAndRow>>> read;
  events.ForEach(device, [&](const DeviceEvent& e) {
    if (!e.launch.valid()) return;
    if (read.empty() || read.back().first != e.track) {
      read.push_back({e.track, {}});
      // Room that is not used takes no memory.
      read.back().second.reserve(events.trace().set.tracks[e.track.value].events);
    }
    read.back().second.push_back({e.launch.value, e.row});
  });
  ByStream streams;
  for (const auto& [track, launches] : read) {
    streams.emplace_back(track, InOrderOfCalls(launches));
    KeepFirstOfGraphs(&streams.back().second);
  }
  DropBegunGraphs(events, device, &streams);
  return streams;
}

}  // namespace stepscope
