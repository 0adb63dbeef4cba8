#include "viewer/timeline/track_list.h"

#include <algorithm>

#include "viewer/core/track_path.h"

namespace stepscope {
namespace {

uint32_t SliceLanes(std::span<const Lane> lanes) {
  size_t n = lanes.size();
  while (n > 0 && lanes[n - 1].kind == LaneKind::kInstant) --n;
  return static_cast<uint32_t>(n);
}

bool HasEvents(const Track& track) { return track.events > 0 || !track.counters.empty(); }

// Lists one run.
class RunLister {
 public:
  RunLister(const Run& run, uint32_t index, std::vector<TrackEntry>* out)
      : run_(run), index_(index), out_(*out) {}

  void List() {
    out_.push_back({.kind = ItemKind::kRunHeading, .run = index_, .name = run_.label});
    SortDerived();
    const Trace& trace = *run_.trace;
    HostId host;
    for (uint32_t p = 0; p < trace.planes.size(); ++p) {
      const HostId own = trace.planes[p].host;
      const size_t before = out_.size();
      if (own != host) {
        out_.push_back({.kind = ItemKind::kHostHeading,
                        .run = index_,
                        .host = own,
                        .name = trace.HostName(own)});
      }
      if (ListPlane(PlaneId(p))) {
        host = own;
      } else {
        out_.resize(before);
      }
    }
    ListPlane(PlaneId());
  }

 private:
  // Derived tracks by plane; the last place is for those of none.
  void SortDerived() {
    derived_.resize(run_.trace->planes.size() + 1);
    for (uint32_t set = 1; set < run_.sets(); ++set) {
      const auto& tracks = run_.Set(set).tracks;
      for (uint32_t t = 0; t < tracks.size(); ++t) {
        const size_t plane = std::min<size_t>(tracks[t].plane.value, derived_.size() - 1);
        derived_[plane].push_back({set, TrackId(t)});
      }
    }
    for (auto& tracks : derived_) {
      std::stable_partition(tracks.begin(), tracks.end(), [this](const auto& derived) {
        return LaneOf(derived.first, derived.second) != DeviceLane::kNone;
      });
    }
  }

  DeviceLane LaneOf(uint32_t set, TrackId track) const {
    return set == 0 ? DeviceLane::kNone : DeviceLaneOf(run_.Set(set).tracks[track.value]);
  }

  bool ListPlane(PlaneId plane) {
    const Trace& trace = *run_.trace;
    const auto own = plane.valid() ? std::span<const TrackId>(trace.planes[plane.value].tracks)
                                   : std::span<const TrackId>();
    const auto& derived = derived_[std::min<size_t>(plane.value, derived_.size() - 1)];
    const size_t heading = out_.size();
    TrackEntry entry{.kind = ItemKind::kPlaneHeading, .run = index_, .plane = plane};
    if (plane.valid()) {
      entry.host = trace.planes[plane.value].host;
      entry.name = trace.planes[plane.value].display_name;
    }
    out_.push_back(entry);
    for (const auto& [set, track] : derived) ListTrack(set, track, entry.host);
    for (const TrackId track : own) {
      out_[heading].events += trace.set.tracks[track.value].events;
      out_[heading].busy = SaturatingAdd(out_[heading].busy, trace.set.tracks[track.value].busy);
      ListTrack(0, track, entry.host);
    }
    if (out_.size() > heading + 1 || !derived.empty()) return true;
    out_.resize(heading);
    return false;
  }

  void ListTrack(uint32_t set, TrackId id, HostId host) {
    const TrackSet& tracks = run_.Set(set);
    const Track& track = tracks.tracks[id.value];
    if (!HasEvents(track)) return;
    TrackEntry entry{.run = index_, .set = set, .host = host, .plane = track.plane, .track = id};
    entry.lane = LaneOf(set, id);
    entry.lanes = SliceLanes(tracks.LanesOf(track));
    entry.events = track.events;
    entry.busy = track.busy;
    entry.name = tracks.names->strings.View(track.name);
    if (track.events > 0) out_.push_back(entry);
    if (track.counters.empty()) return;
    entry.kind = ItemKind::kCounter;
    out_.push_back(entry);
  }

  const Run& run_;
  uint32_t index_;
  std::vector<TrackEntry>& out_;
  std::vector<std::vector<std::pair<uint32_t, TrackId>>> derived_;  // set and track, by plane
};

}  // namespace

std::vector<TrackEntry> ListTracks(std::span<const Run> runs) {
  std::vector<TrackEntry> out;
  for (uint32_t run = 0; run < runs.size(); ++run) {
    if (runs[run].trace) RunLister(runs[run], run, &out).List();
  }
  return out;
}

std::string PathOf(const Run& run, const TrackEntry& entry) {
  switch (entry.kind) {
    case ItemKind::kPlaneHeading:
      return PlanePath(*run.trace, entry.plane);
    case ItemKind::kTrack:
    case ItemKind::kCounter:
      return TrackPath(*run.trace, run.Set(entry.set), entry.track);
    default:
      return {};
  }
}

}  // namespace stepscope
