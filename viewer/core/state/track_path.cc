#include "viewer/core/state/track_path.h"

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
  std::string name = path.substr(last + 1);  // all of it where there is none
  if (plane != last) name.resize(std::min(name.rfind('#'), name.size()));
  return name;
}

}  // namespace stepscope
