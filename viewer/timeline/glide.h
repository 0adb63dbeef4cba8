// Glide: the displayed range on its way to a target. The anchor of a zoom stays in place on the
// way; lengths change geometrically, so a zoom of a thousand looks as even as one of two. A value
// type, no clock of its own.
#pragma once

#include "model/time.h"

namespace stepscope {

class Glide {
 public:
  void Jump(TimeRange range) {
    shown_ = from_ = target_ = range;
    t_ = 1;
  }
  // A new target starts a glide from what is shown now.
  void SetTarget(TimeRange target);
  // Advances by dt of `duration` seconds. True while still moving.
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
