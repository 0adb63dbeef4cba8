// TimelineGeometry: where the parts of the timeline lie in its window. Plain data, in pixels of
// the screen.
#pragma once

#include "model/time.h"

namespace stepscope {

struct Box {
  float x = 0, y = 0, w = 0, h = 0;
  bool Has(float px, float py) const { return px >= x && px < x + w && py >= y && py < y + h; }
  float right() const { return x + w; }
  float bottom() const { return y + h; }
};

// Returns where something of this size begins if it is centred at `middle` and kept between
// `from` and `to`. It begins at `from` if there is no room for it.
float PlaceAround(float middle, float size, float from, float to);

// The parts that lie above the rows, in addition to ruler and steps.
struct TopParts {
  bool title = false;  // the profile's title, where each profile has rows of its own
  bool minimap = true;
  int step_rows = 1;  // 2: the steps of both compared profiles, the baseline's above
};

struct TimelineGeometry {
  Box all, title, minimap, minimap_bar, ruler, strip, labels, rows, scrollbar;
  int step_rows = 1;  // in the strip
  float unit = 1;     // pixels of 1/14 of the UI font: 1 at scale 1
  // Names of tracks take `label_width` pixels, but never more than half of the width.
  static TimelineGeometry Make(const Box& all, float unit, float label_width,
                               const TopParts& top = {});
  Box StepRow(int row) const;  // a row of the strip
  // Returns a length at scale 1 in whole pixels.
  float Px(float at_scale_1) const;
  bool drawable() const { return rows.w >= 16 && rows.h >= 16; }
};

// RangeAnimation: the displayed range while it moves to a target. The anchor of a zoom stays in
// place meanwhile. Lengths change geometrically, so that a zoom by a factor of 1000 looks as even
// as one of 2. A value type without a clock.
class RangeAnimation {
 public:
  void Jump(TimeRange range) {
    shown_ = from_ = target_ = range;
    t_ = 1;
  }
  // A new target starts the animation from what is shown now.
  void SetTarget(TimeRange target);
  // Advances by `dt` of `duration` seconds. Returns true while it still moves.
  bool Advance(double dt, double duration);
  const TimeRange& shown() const { return shown_; }
  const TimeRange& target() const { return target_; }
  bool moving() const { return t_ < 1; }

 private:
  TimeRange Between(double t) const;
  TimeRange from_, target_, shown_;
  double t_ = 1;
};

}  // namespace stepscope
