// ListTracks: the first of three stages of the layout. Everything that could be drawn, in the
// order of the runs: headings, tracks, counters. Depends on the contents only, neither on rules
// (arrange.h) nor on pixels (layout.h). O(tracks), about 64 bytes a track.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/analysis/device_lanes.h"
#include "viewer/core/run.h"

namespace stepscope {

enum class ItemKind : uint8_t { kRunHeading, kHostHeading, kPlaneHeading, kTrack, kCounter };

struct TrackEntry {
  ItemKind kind = ItemKind::kTrack;
  uint32_t run = 0, set = 0;
  HostId host{};
  PlaneId plane{};  // invalid: derived tracks that belong to no plane
  TrackId track{};  // of tracks and counters; counters follow their track's slices
  DeviceLane lane = DeviceLane::kNone;  // of derived tracks: which lane of a GPU it is
  uint32_t lanes = 0;                   // of a track: nested and spill lanes; instants follow
  uint64_t events = 0;                  // activity: of a plane that of its own tracks
  Ps busy = 0;
  std::string_view name{};  // as in the file; lives as long as the runs
};

// Planes and tracks without anything to draw are left out. The lanes of a GPU come first below its
// heading, then other derived tracks, then its own.
std::vector<TrackEntry> ListTracks(std::span<const Run> runs);
// PlanePath or TrackPath of the entry; empty for headings of runs and hosts.
std::string PathOf(const Run& run, const TrackEntry& entry);

}  // namespace stepscope
