// ListTracks: the first of three stages of the layout. It lists everything that could be drawn,
// in the order of the profiles: headings, tracks, counters. The list depends on the contents
// only, neither on rules (arrange.h) nor on pixels (layout.h). O(tracks), about 64 bytes a track.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/analysis/derived_tracks/device_tracks.h"
#include "viewer/core/profiles/profile.h"

namespace stepscope {

enum class LayoutItemKind : uint8_t {
  kProfileHeading,
  kHostHeading,
  kPlaneHeading,
  kTrack,
  kCounter
};

struct TrackEntry {
  LayoutItemKind kind = LayoutItemKind::kTrack;
  uint32_t profile = 0, set = 0;
  HostId host{};
  PlaneId plane{};  // invalid for derived tracks that belong to no plane
  TrackId track{};  // valid for tracks and counters; counters follow their track's slices
  DerivedTrackKind lane = DerivedTrackKind::kNone;  // which derived track of a GPU it is
  bool derived = false;  // nobody recorded it: it is of a derived set, or derived in the file
  uint32_t lanes = 0;    // track: nested and spill lanes; instants follow
  uint64_t events = 0;   // activity; a plane has that of its own tracks
  Ps busy = 0;
  std::string_view name{};  // as in the file; lives as long as the profiles
};

// Planes and tracks without anything to draw are left out. Below the heading of a device stand its
// own tracks, then its derived tracks: those of idle time, use and queue before the others.
std::vector<TrackEntry> ListTracks(std::span<const Profile> profiles);
// Returns PlanePath or TrackPath of the entry; empty for headings of profiles and hosts.
std::string PathOf(const Profile& profile, const TrackEntry& entry);

}  // namespace stepscope
