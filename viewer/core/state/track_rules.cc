#include "viewer/core/state/track_rules.h"

#include <algorithm>
#include <iterator>
#include <vector>

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

namespace {

bool ShowsDevice(PlaneKind kind) {
  return kind == PlaneKind::kGpu || kind == PlaneKind::kTpu || kind == PlaneKind::kCustom;
}

constexpr size_t kMostRules = 4000;  // far more than anybody folds
constexpr uint64_t kFew = 3, kTimesAsMany = 100;

TrackRules::Paths PlanePaths(const Trace& trace) {
  TrackRules::Paths out{PlanePath(trace, PlaneId())};  // derived tracks without a plane
  for (uint32_t p = 0; p < trace.planes.size(); ++p) out.insert(PlanePath(trace, PlaneId(p)));
  return out;
}

// Returns the members of `paths` that name a plane of the trace or a track of one.
TrackRules::Paths PathsOf(const Trace& trace, const TrackRules::Paths& paths) {
  TrackRules::Paths out;
  if (paths.empty()) return out;
  for (const std::string& plane : PlanePaths(trace)) {
    if (paths.contains(plane)) out.insert(plane);
    const std::string prefix = plane + '|';
    for (auto at = paths.lower_bound(prefix); at != paths.end() && at->starts_with(prefix); ++at)
      out.insert(*at);
  }
  return out;
}

void Add(const TrackRules::Paths& some, const TrackRules::Paths& without,
         TrackRules::Paths* paths) {
  if (paths->size() > kMostRules) paths->clear();
  std::set_difference(some.begin(), some.end(), without.begin(), without.end(),
                      std::inserter(*paths, paths->end()));
}

// A thread that waits in one place for most of the trace: each lane holds one call.
bool StandsStill(const Trace& trace, const Track& track) {
  const bool thread = track.kind == TrackKind::kThread || track.kind == TrackKind::kPython;
  return thread && track.lane_count >= 2 && track.events == track.lane_count &&
         track.counters.empty() && track.busy > trace.span.length() / 2;
}

// The number of events of each plane. A counter counts as more than a few.
std::vector<uint64_t> EventsOfPlanes(const Trace& trace) {
  std::vector<uint64_t> events;
  for (const Plane& plane : trace.planes) {
    uint64_t& sum = events.emplace_back(0);
    for (TrackId id : plane.tracks) {
      const Track& track = trace.set.tracks[id.value];
      sum += track.events + (track.counters.empty() ? 0 : kFew + 1);
    }
  }
  return events;
}

// Whether the lane holds one Python frame that is open for at least half of the trace.
bool IsOuterFrame(const Trace& trace, const Lane& lane) {
  const auto& metas = trace.names().metas;
  if (lane.kind != LaneKind::kNested || lane.size() != 1 || lane.meta[0] >= metas.size())
    return false;
  return metas[lane.meta[0]].category == EventCategory::kPythonFunction &&
         lane.dur[0] >= trace.span.length() / 2;
}

}  // namespace

uint32_t OuterFrames(const Trace& trace, const Track& track) {
  uint32_t frames = 0;
  for (const Lane& lane : trace.set.LanesOf(track)) {
    if (lane.depth != frames || !IsOuterFrame(trace, lane)) break;
    ++frames;
  }
  return frames > 1 ? frames : 0;
}

std::vector<bool> PlanesOfFewEvents(const Trace& trace) {
  const std::vector<uint64_t> events = EventsOfPlanes(trace);
  const uint64_t most = events.empty() ? 0 : *std::max_element(events.begin(), events.end());
  std::vector<bool> few;
  for (uint32_t p = 0; p < events.size(); ++p)
    few.push_back(events[p] <= kFew && events[p] * kTimesAsMany < most &&
                  trace.planes[p].kind != PlaneKind::kGpu);
  return few;
}

TrackRules::Paths FoldedAtFirst(const Trace& trace) {
  const std::vector<uint64_t> events = EventsOfPlanes(trace);
  const uint64_t most = events.empty() ? 0 : *std::max_element(events.begin(), events.end());
  const std::vector<bool> few = PlanesOfFewEvents(trace);
  TrackRules::Paths folded;
  for (uint32_t p = 0; p < events.size(); ++p) {
    if (few[p]) folded.insert(PlanePath(trace, PlaneId(p)));
    if (ShowsDevice(trace.planes[p].kind)) folded.insert(DerivedTracksPath(trace, PlaneId(p)));
    for (TrackId id : trace.planes[p].tracks) {
      const Track& track = trace.set.tracks[id.value];
      if (most > kTimesAsMany && StandsStill(trace, track))
        folded.insert(TrackPath(trace, trace.set, id));
      if (OuterFrames(trace, track) > 0) folded.insert(OuterFramesPath(trace, trace.set, id));
    }
  }
  return folded;
}

TrackRules::Paths BusiestTracks(const Trace& trace) {
  constexpr size_t kMost = 4;
  PlaneId best;
  std::pair<bool, Ps> most{false, 0};
  for (uint32_t p = 0; p < trace.planes.size(); ++p) {
    Ps busy = 0;
    for (const TrackId id : trace.planes[p].tracks)
      busy = SaturatingAdd(busy, trace.set.tracks[id.value].busy);
    const std::pair<bool, Ps> rank{ShowsDevice(trace.planes[p].kind), busy};
    if (busy == 0 || rank <= most) continue;
    most = rank;
    best = PlaneId(p);
  }
  TrackRules::Paths paths;
  if (!best.valid()) return paths;
  std::vector<TrackId> tracks = trace.planes[best.value].tracks;
  std::stable_sort(tracks.begin(), tracks.end(), [&](TrackId a, TrackId b) {
    return trace.set.tracks[a.value].busy > trace.set.tracks[b.value].busy;
  });
  for (const TrackId id : tracks) {
    const bool idle = trace.set.tracks[id.value].busy == 0;
    if (!idle && paths.size() < kMost) paths.insert(TrackPath(trace, trace.set, id));
  }
  return paths;
}

TrackRules::Paths FoldedBy(const TrackRules& rules, const Trace& trace) {
  TrackRules::Paths folded = FoldedAtFirst(trace);
  std::erase_if(folded, [&](const std::string& path) { return rules.unfolded.contains(path); });
  folded.merge(PathsOf(trace, rules.folded));
  return folded;
}

void KeepFolds(const Trace& trace, const TrackRules::Paths& folded, TrackRules* rules) {
  const TrackRules::Paths first = FoldedAtFirst(trace);
  for (const std::string& path : PathsOf(trace, rules->folded)) {
    if (!folded.contains(path)) rules->folded.erase(path);
  }
  for (const std::string& path : folded) rules->unfolded.erase(path);
  Add(folded, first, &rules->folded);
  Add(first, folded, &rules->unfolded);
}

}  // namespace stepscope
