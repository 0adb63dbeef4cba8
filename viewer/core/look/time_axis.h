// TimeAxis: turns times into pixels and back; no other code does. Pixels are doubles from the left
// edge of the canvas. Times are subtracted as integers first, so an hour-long trace is exact at a
// nanosecond zoom. A value.
#pragma once

#include <algorithm>
#include <cmath>

#include "model/time.h"

namespace stepscope {

class TimeAxis {
 public:
  TimeAxis() = default;
  // `width_px` columns show `view`; an empty view becomes 1 ps long.
  TimeAxis(TimeRange view, double width_px) : view_(view), width_(std::max(width_px, 1.0)) {
    if (view_.end <= view_.begin) view_.end = SaturatingAdd(view_.begin, 1);
    ps_per_px_ = static_cast<double>(view_.length()) / width_;
  }

  const TimeRange& view() const { return view_; }
  double width() const { return width_; }
  double ps_per_px() const { return ps_per_px_; }
  double X(Ps t) const { return static_cast<double>(SaturatingSub(t, view_.begin)) / ps_per_px_; }
  // X, clipped to the canvas and a margin so that a float is exact enough.
  float ClippedX(Ps t, double margin = 16.0) const {
    return static_cast<float>(std::clamp(X(t), -margin, width_ + margin));
  }
  Ps At(double x) const {
    const double offset = std::clamp(x * ps_per_px_, -9.0e18, 9.0e18);
    return SaturatingAdd(view_.begin, static_cast<Ps>(std::llround(offset)));
  }
  Ps Length(double px) const {
    return static_cast<Ps>(std::llround(std::clamp(px * ps_per_px_, -9.0e18, 9.0e18)));
  }

 private:
  TimeRange view_{0, 1};
  double width_ = 1;
  double ps_per_px_ = 1;
};

// Zooms by `factor` (below 1: closer) around the time `anchor`, which keeps its place. The result
// is at least `min_length` long and at most `max_length`.
TimeRange ZoomRange(TimeRange range, double factor, Ps anchor, Ps min_length, Ps max_length);
TimeRange ShiftRange(TimeRange range, Ps by);
// Moves the range into `whole`; a longer range becomes `whole`.
TimeRange KeepInside(TimeRange range, TimeRange whole);

}  // namespace stepscope
