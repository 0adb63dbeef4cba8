// Parts of the draw plan that are not slices: activity previews, counters, labels that fit. Pure.
#pragma once

#include <span>
#include <vector>

#include "viewer/core/look/name_cache.h"
#include "viewer/core/look/time_axis.h"
#include "viewer/core/profiles/profile.h"
#include "viewer/timeline/slices/plan_parts.h"

namespace stepscope {

// The busy share of a plane over the view. For a device it is the time with an event open, as its
// derived track Utilisation says. Until that is known it is, in each column, that of the busiest
// stream (or XLA op line). For a host it is the mean over threads with events. O(tracks * columns
// * log n), at most kMaxActivityTracks tracks.
struct PlaneActivity {
  std::vector<float> share;  // by column, in [0, 1]; fewer columns than pixels
  double mean = -1;
  bool device = false;
};
inline constexpr size_t kMaxActivityTracks = 64;
PlaneActivity PlaneActivityInView(const Profile& profile, PlaneId plane, const TimeAxis& axis,
                                  uint32_t width_px, std::vector<Bin>* scratch);
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
