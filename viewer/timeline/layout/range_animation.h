// RangeAnimation: the displayed range while it moves to a target. The anchor of a zoom stays in
// place meanwhile. Lengths change geometrically, so that a zoom by a factor of 1000 looks as even
// as one of 2. A value type without a clock.
#pragma once

#include "model/time.h"

namespace stepscope {

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
