#include "model/analysis/devices/device_launches.h"

#include <algorithm>
#include <set>

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

void LaunchReader::Add(const DeviceEvent& event, std::vector<DeviceLaunch>* launches) {
  DeviceLaunch& launch = launches->emplace_back();
  launch.call = event.launch.value;
  launch.row = event.row;
  launch.begin = calls_.Start(launch.call);
  launch.ready = IsGraph(launch.call) ? launch.begin : calls_.End(launch.call);
  launch.start = event.begin;
}

void LaunchReader::KeepFirstOfGraphs(std::vector<DeviceLaunch>* launches) {
  SortRuns(launches->begin(), launches->end(), [](const DeviceLaunch& a, const DeviceLaunch& b) {
    return a.call != b.call ? a.call < b.call : a.start < b.start;
  });
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
  ByStream streams;
  events.ForEach(device, [&](const DeviceEvent& e) {
    if (!e.launch.valid()) return;
    if (streams.empty() || streams.back().first != e.track) {
      streams.push_back({e.track, {}});
      // Room that is not used takes no memory.
      streams.back().second.reserve(events.trace().set.tracks[e.track.value].events);
    }
    Add(e, &streams.back().second);
  });
  for (auto& [track, launches] : streams) KeepFirstOfGraphs(&launches);
  DropBegunGraphs(events, device, &streams);
  return streams;
}

}  // namespace stepscope
