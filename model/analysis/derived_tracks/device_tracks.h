// Derived tracks of devices (docs/rules.md#lanes): why a GPU is idle, how busy a GPU or a TPU core
// is, what waits for a GPU, how long launches take to begin, and its memory in use. They are track
// sets of the timeline, one a device, by our definitions for every format.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/analysis/derived_tracks/busy_time.h"

namespace stepscope {

// The kinds in the order in which they stand below a GPU's heading. The number is the id of the
// track.
enum class DerivedTrackKind : uint8_t {
  kNone,         // not a derived track of a GPU
  kIdle,         // slices: parts of idle time; `source` is the host's event that is open
  kUtilisation,  // percent of the time in which a device event is open; see below
  kQueue,        // number of launches that have not begun
  kLaunchDelay,  // us; the delay of the launch whose event began last
  kMemory,       // bytes in use, a track for each allocator
};

// The kind of a track of a derived set.
DerivedTrackKind DerivedTrackKindOf(const Track& track);

// The most points of a counter, 16 bytes each; a counter with more keeps its peaks.
inline constexpr size_t kMostCounterPoints = 131'072;
// The most points of the utilisation and of each of its parts. They are exact below, and means over
// the same windows of equal length above.
inline constexpr size_t kMostUtilisationPoints = 16'384;

// Tracks that no recording has, set by set: BuildDerivedLines, then BuildDeviceTracks.
struct DerivedTracks {
  std::vector<std::shared_ptr<const TrackSet>> sets;
  static DerivedTracks Compute(AnalysisContext& context);
};

// The sets of all devices that have device events; a track that would be empty is left out. The
// meta of an idle slice has the id of its class (IdOf) as its name, and the category kOverhead. O(n
// log n) in device events, parallel over GPUs; any thread may call it.
std::vector<std::shared_ptr<const TrackSet>> BuildDeviceTracks(AnalysisContext& context);

}  // namespace stepscope
