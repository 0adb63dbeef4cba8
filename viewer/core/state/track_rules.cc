#include "viewer/core/state/track_rules.h"

#include <algorithm>

namespace stepscope {

std::string PlanePath(const Trace& trace, PlaneId plane) {
  if (!plane.valid() || plane.value >= trace.planes.size()) return "derived";
  const Plane& p = trace.planes[plane.value];
  std::string path(trace.HostName(p.host));
  path += '|';
  path += trace.names().strings.View(p.name);
  return path;
}

std::string TrackPath(const Trace& trace, const TrackSet& set, TrackId track) {
  const Track& t = set.tracks[track.value];
  std::string path = PlanePath(trace, t.plane);
  path += '|';
  path += set.names->strings.View(t.name);
  path += '#';
  path += std::to_string(t.id);
  return path;
}

std::string DerivedTracksPath(const Trace& trace, PlaneId plane) {
  return PlanePath(trace, plane) + "|derived";
}

std::string OuterFramesPath(const Trace& trace, const TrackSet& set, TrackId track) {
  return TrackPath(trace, set, track) + "|frames";
}

std::string NameInPath(const std::string& path) {
  const size_t plane = path.find('|'), last = path.rfind('|');
  std::string name = path.substr(last + 1);  // the whole path where it has no '|'
  if (plane != last) name.resize(std::min(name.rfind('#'), name.size()));
  return name;
}

std::string PlaneName(const TrackRules::Names& given, const Trace& trace, PlaneId plane) {
  const auto name = given.empty() ? given.end() : given.find(PlanePath(trace, plane));
  return name != given.end() ? name->second : trace.planes[plane.value].display_name;
}

std::string TrackName(const TrackRules::Names& given, const Trace& trace, const TrackSet& set,
                      TrackId track) {
  const auto name = given.empty() ? given.end() : given.find(TrackPath(trace, set, track));
  if (name != given.end()) return name->second;
  return std::string(set.names->strings.View(set.tracks[track.value].name));
}

}  // namespace stepscope
