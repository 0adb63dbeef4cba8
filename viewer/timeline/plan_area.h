// Parts of the draw plan that are not slices: activity previews, counters, fitting of labels. Pure.
#pragma once

#include <span>
#include <vector>

#include "viewer/timeline/draw_plan.h"

namespace stepscope {

// Busy share of a plane over the view. Devices: the time with an event open, as their lane has it;
// before that is known in each column the busiest of the streams (or XLA op lines). Hosts: the mean
// over the threads that have events. O(tracks * columns * log n), at most kMaxActivityTracks.
struct PlaneActivity {
  std::vector<float> share;  // by column, in [0, 1]; fewer columns than pixels
  double mean = -1;
  bool device = false;
};
inline constexpr size_t kMaxActivityTracks = 64;
PlaneActivity PlaneActivityInView(const Run& run, PlaneId plane, const TimeAxis& axis,
                                  uint32_t width_px, std::vector<Bin>* scratch);
bool IsDevice(PlaneKind kind);
// The tracks whose outermost lane stands for the plane's activity.
std::vector<TrackId> ActivityTracks(const Trace& trace, PlaneId plane);

// The values that a counter has in a range of time. Of many changes some are looked at.
struct CounterColumn {
  double first = 0;            // when the range begins
  double least = 0, most = 0;  // the first one counts
  double mean = 0;             // weighted by time
  size_t changes = 0;          // within the range
};
CounterColumn CounterIn(const CounterSeries& series, TimeRange range);  // O(log n + kMostLooks)
inline constexpr size_t kMostLooks = 128;

// The series in each column, scaled to [0, 1]: the largest value, of [min(0, min), max]; or of a
// share of time its mean, of [0, 100]. O(columns * (log n + kMostLooks)).
enum class CounterScale : uint8_t { kPeaks, kPercent };
void CounterInView(const CounterSeries& series, const TimeAxis& axis, std::span<float> out,
                   CounterScale scale = CounterScale::kPeaks);

// Chooses the longest form that fits `space`, or cuts one of at least 4 letters. False if nothing
// fits.
bool FitLabel(const NameLabel& label, float space, const NameCache& names, PlanLabel* out);

}  // namespace stepscope
