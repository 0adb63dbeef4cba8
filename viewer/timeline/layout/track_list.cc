#include "viewer/timeline/layout/track_list.h"

#include <algorithm>

#include "viewer/core/state/track_rules.h"

namespace stepscope {
namespace {

uint32_t SliceLanes(std::span<const Lane> lanes) {
  size_t n = lanes.size();
  while (n > 0 && lanes[n - 1].kind == LaneKind::kInstant) --n;
  return static_cast<uint32_t>(n);
}

bool HasEvents(const Track& track) { return track.events > 0 || !track.counters.empty(); }

// Lists one profile.
class ProfileLister {
 public:
  ProfileLister(const Profile& profile, uint32_t index, std::vector<TrackEntry>* out)
      : profile_(profile), index_(index), out_(*out) {}

  void List() {
    out_.push_back(
        {.kind = LayoutItemKind::kProfileHeading, .profile = index_, .name = profile_.label});
    SortDerived();
    const Trace& trace = *profile_.trace;
    HostId host;
    for (uint32_t p = 0; p < trace.planes.size(); ++p) {
      const HostId own = trace.planes[p].host;
      const size_t before = out_.size();
      if (own != host) {
        out_.push_back({.kind = LayoutItemKind::kHostHeading,
                        .profile = index_,
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
  // Sorts derived tracks by plane; the last place is for tracks without a plane.
  void SortDerived() {
    derived_.resize(profile_.trace->planes.size() + 1);
    for (uint32_t set = 1; set < profile_.sets(); ++set) {
      const auto& tracks = profile_.Set(set).tracks;
      for (uint32_t t = 0; t < tracks.size(); ++t) {
        const size_t plane = std::min<size_t>(tracks[t].plane.value, derived_.size() - 1);
        derived_[plane].push_back({set, TrackId(t)});
      }
    }
    for (auto& tracks : derived_) {
      std::stable_partition(tracks.begin(), tracks.end(), [this](const auto& derived) {
        return LaneOf(derived.first, derived.second) != DerivedTrackKind::kNone;
      });
    }
  }

  DerivedTrackKind LaneOf(uint32_t set, TrackId track) const {
    return set == 0 ? DerivedTrackKind::kNone
                    : DerivedTrackKindOf(profile_.Set(set).tracks[track.value]);
  }

  bool ListPlane(PlaneId plane) {
    const Trace& trace = *profile_.trace;
    const auto own = plane.valid() ? std::span<const TrackId>(trace.planes[plane.value].tracks)
                                   : std::span<const TrackId>();
    const auto& derived = derived_[std::min<size_t>(plane.value, derived_.size() - 1)];
    const size_t heading = out_.size();
    TrackEntry entry{.kind = LayoutItemKind::kPlaneHeading, .profile = index_, .plane = plane};
    if (plane.valid()) {
      entry.host = trace.planes[plane.value].host;
      entry.name = trace.planes[plane.value].display_name;
    }
    out_.push_back(entry);
    for (const TrackId track : own) {
      out_[heading].events += trace.set.tracks[track.value].events;
      out_[heading].busy = SaturatingAdd(out_[heading].busy, trace.set.tracks[track.value].busy);
      if (!trace.set.tracks[track.value].derived_in_file) ListTrack(0, track, entry.host);
    }
    // The heading of a TPU core shows all that its utilisation tells.
    const bool tpu = plane.valid() && trace.planes[plane.value].kind == PlaneKind::kTpu;
    for (const auto& [set, track] : derived) {
      if (!tpu || LaneOf(set, track) != DerivedTrackKind::kUtilisation)
        ListTrack(set, track, entry.host);
    }
    for (const TrackId track : own) {
      if (trace.set.tracks[track.value].derived_in_file) ListTrack(0, track, entry.host);
    }
    if (out_.size() > heading + 1 || !derived.empty()) return true;
    out_.resize(heading);
    return false;
  }

  void ListTrack(uint32_t set, TrackId id, HostId host) {
    const TrackSet& tracks = profile_.Set(set);
    const Track& track = tracks.tracks[id.value];
    if (!HasEvents(track)) return;
    TrackEntry entry{
        .profile = index_, .set = set, .host = host, .plane = track.plane, .track = id};
    entry.lane = LaneOf(set, id);
    entry.derived = set != 0 || track.derived_in_file;
    entry.lanes = SliceLanes(tracks.LanesOf(track));
    entry.events = track.events;
    entry.busy = track.busy;
    entry.name = tracks.names->strings.View(track.name);
    if (track.events > 0) out_.push_back(entry);
    if (track.counters.empty()) return;
    entry.kind = LayoutItemKind::kCounter;
    out_.push_back(entry);
  }

  const Profile& profile_;
  uint32_t index_;
  std::vector<TrackEntry>& out_;
  std::vector<std::vector<std::pair<uint32_t, TrackId>>> derived_;  // set and track, by plane
};

}  // namespace

std::vector<TrackEntry> ListTracks(std::span<const Profile> profiles) {
  std::vector<TrackEntry> out;
  for (uint32_t profile = 0; profile < profiles.size(); ++profile) {
    if (profiles[profile].trace) ProfileLister(profiles[profile], profile, &out).List();
  }
  return out;
}

std::string PathOf(const Profile& profile, const TrackEntry& entry) {
  switch (entry.kind) {
    case LayoutItemKind::kPlaneHeading:
      return PlanePath(*profile.trace, entry.plane);
    case LayoutItemKind::kTrack:
    case LayoutItemKind::kCounter:
      return TrackPath(*profile.trace, profile.Set(entry.set), entry.track);
    default:
      return {};
  }
}

}  // namespace stepscope
