// The parts of a draw plan as plain data, and those that are not slices: activity previews,
// counters, labels that fit. Places are canvas pixels. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "model/analysis/derived_tracks/device_tracks.h"
#include "model/base/color.h"
#include "model/track.h"
#include "viewer/core/look/name_cache.h"
#include "viewer/core/look/texel_sink.h"
#include "viewer/core/look/theme.h"
#include "viewer/core/look/time_axis.h"
#include "viewer/core/profiles/profile.h"

namespace stepscope {

struct PlanRow {
  uint32_t item = 0, depth = 0;
  TexelLine::Kind kind = TexelLine::kSlices;
  const Lane* lane = nullptr;  // null: a row of instants only, or an area
  float y = 0, height = 0;     // may be negative at the top
};

struct PlanLabel {
  float x = 0, y = 0, width = 0;  // of the text; y is the row's top
  std::string_view text;          // lives as long as the NameCache's generation
  bool cut = false;               // an ellipsis follows
  bool sticks = false;            // in a row that stays at the top
  Rgba color = 0;
};

// An instant on top of slices.
struct PlanMark {
  float x = 0, y = 0;
  Rgba color = 0;
  bool sticks = false;
};

// A slice as a rectangle.
struct PlanBox {
  float x = 0, y = 0, w = 0, h = 0;
  bool sticks = false;
};

// A slice that shares its columns with no other.
struct PlanSlice {
  uint32_t px = 0, width = 0, event = 0;  // event: index in the row's lane
};

// The parts of a device's busy time, from the lowest up, and for each the sum of the shares up to
// it: by column, in [0, 1].
struct StackedShares {
  std::vector<WorkPart> parts;
  std::vector<std::vector<float>> sums;
};
static_assert(static_cast<size_t>(WorkPart::kCount) == texel::kStackCurves);
// The texel of a column. The curve of a missing part is as high as the one below it.
uint32_t StackAt(const StackedShares& shares, size_t column);
// The kind whose colour a part has in all charts, and the colours of all parts.
Kind WorkKind(WorkPart part);
std::array<Rgba, texel::kStackCurves> StackColors(const Theme& theme);

// The busy share of a plane over the view. For a device it is the time with an event open, as in
// its derived track Utilisation. Until that track is known, each column has the share of the
// busiest stream or XLA op line. For a host it is the mean over threads with events. For a memory
// snapshot it is the memory in use, as a share of the peak. O(tracks * columns * log n), at most
// kMaxActivityTracks tracks.
struct PlaneActivity {
  std::vector<float> share;  // by column, in [0, 1]; fewer columns than pixels
  StackedShares parts;       // what the share is made of; empty if that is not known
  double mean = -1;
  bool device = false;
  bool memory = false;  // `share` is memory in use, as a share of the peak
};
Kind WorkKind(const PlaneActivity& activity);  // where it has no parts
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

// Draws a curve, whose values may be fewer than the columns; there is at least one. O(columns)
void DrawCurve(std::span<const float> values, Rgba color, std::span<uint32_t> row);
// Draws curves on each other. A part that the device does not have is as high as the one below.
// O(columns)
void DrawStack(const StackedShares& shares, std::span<uint32_t> row);

// Gives each column in which slices were drawn the share of its time that events of the lane cover.
// Columns in which events lie are never empty, so that no event vanishes. `shares` is scratch.
// O(columns)
void CoverByTime(const Lane& lane, std::span<const Bin> bins, const TimeAxis& axis,
                 std::vector<float>* shares, std::span<uint32_t> row);

// Marks the columns of highlighted events, whose rows are sorted. O(columns * log n), however many
// events there are.
void Brighten(const Lane& lane, std::span<const uint32_t> hits, const TimeAxis& axis,
              std::span<uint32_t> row);

}  // namespace stepscope
