// Parts of the draw plan that are not slices: activity previews, counters, labels that fit. Pure.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "model/analysis/derived_tracks/device_tracks.h"
#include "viewer/core/look/name_cache.h"
#include "viewer/core/look/texel_sink.h"
#include "viewer/core/look/theme.h"
#include "viewer/core/look/time_axis.h"
#include "viewer/core/profiles/profile.h"
#include "viewer/timeline/slices/plan_parts.h"

namespace stepscope {

// The parts of a device's busy time, from the lowest up, and for each the sum of the shares up to
// it: by column, in [0, 1].
struct StackedShares {
  std::vector<WorkPart> parts;
  std::vector<std::vector<float>> sums;
};
static_assert(static_cast<size_t>(WorkPart::kCount) == texel::kStackCurves);
// The texel of a column: a curve for each part, also for those that are not there.
uint32_t StackAt(const StackedShares& shares, size_t column);
// The kind whose colour a part has in all charts, and the colours of all parts.
Kind KindOf(WorkPart part);
std::array<Rgba, texel::kStackCurves> StackColors(const Theme& theme);

// The busy share of a plane over the view. For a device it is the time with an event open, as its
// derived track Utilisation says. Until that is known it is, in each column, that of the busiest
// stream (or XLA op line). For a host it is the mean over threads with events. A memory snapshot
// has its memory in use instead. O(tracks * columns * log n), at most kMaxActivityTracks tracks.
struct PlaneActivity {
  std::vector<float> share;  // by column, in [0, 1]; fewer columns than pixels
  StackedShares parts;       // what the share is made of; empty if that is not known
  double mean = -1;
  bool device = false;
  bool memory = false;  // of an allocator: the share is that of its peak, and nothing is busy
};
Kind KindOf(const PlaneActivity& activity);  // where it has no parts
inline constexpr size_t kMaxActivityTracks = 64;
PlaneActivity PlaneActivityInView(const Profile& profile, PlaneId plane, const TimeAxis& axis,
                                  uint32_t width_px, std::vector<Bin>* scratch);
// Returns the derived track Utilisation of a device; null until it is known. O(derived tracks)
struct UtilisationTrack {
  const TrackSet* set = nullptr;
  const Track* track = nullptr;
  bool HasParts() const { return track != nullptr && track->counters.size() > 1; }
};
UtilisationTrack UtilisationOf(const Profile& profile, PlaneId plane);
// Adds up the parts of a utilisation in each column.
StackedShares StackUtilisation(const UtilisationTrack& of, const TimeAxis& axis, size_t columns);
// Returns the tracks whose outermost lanes make up the plane's activity.
std::vector<TrackId> ActivityTracks(const Trace& trace, PlaneId plane);

// The values that a counter has in a range of time. At most kMostLooks of its changes are read.
struct CounterColumn {
  double first = 0;            // at the begin of the range
  double least = 0, most = 0;  // including the first value
  double mean = 0;             // weighted by time
  size_t changes = 0;          // within the range
};
CounterColumn CounterIn(const CounterSeries& series, TimeRange range);  // O(log n + kMostLooks)
inline constexpr size_t kMostLooks = 128;

// Scales the series in each column to [0, 1]. kPeaks takes the largest value in a column, and
// scales from [min(0, least), most]. kPercent takes the mean, and scales from [0, 100]. O(columns
// * (log n + kMostLooks)).
enum class CounterScale : uint8_t { kPeaks, kPercent };
void CounterInView(const CounterSeries& series, const TimeAxis& axis, std::span<float> out,
                   CounterScale scale = CounterScale::kPeaks);

// Chooses the longest form that fits into `space` pixels, or cuts one to at least 4 letters.
// Returns false if nothing fits.
bool FitLabel(const NameLabel& label, float space, const NameCache& names, PlanLabel* out);

}  // namespace stepscope
