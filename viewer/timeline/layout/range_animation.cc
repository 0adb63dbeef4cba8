#include "viewer/timeline/layout/range_animation.h"

#include <algorithm>
#include <cmath>

namespace stepscope {

void RangeAnimation::SetTarget(TimeRange target) {
  if (target == target_) return;
  from_ = shown_;
  target_ = target;
  t_ = 0;
}

bool RangeAnimation::Advance(double dt, double duration) {
  if (t_ >= 1) return false;
  t_ = duration <= 0 ? 1 : t_ + dt / duration;
  if (t_ >= 1 || from_.empty()) {
    Jump(target_);
    return false;
  }
  const double rest = 1 - t_;
  shown_ = Between(1 - rest * rest * rest);  // ease out: quick answer, soft landing
  return true;
}

TimeRange RangeAnimation::Between(double t) const {
  const double length0 = static_cast<double>(from_.length());
  const double length1 = static_cast<double>(target_.length());
  const double shift = static_cast<double>(SaturatingSub(target_.begin, from_.begin));
  double length = length0 + (length1 - length0) * t;
  double offset = shift * t;
  const double ratio = length1 / length0;
  if (ratio < 0.5 || ratio > 2) {
    // The point that has the same place in both ranges stays there.
    const double fixed = shift * length0 / (length0 - length1);
    length = length0 * std::pow(ratio, t);
    offset = fixed - fixed * length / length0;
  }
  const Ps begin =
      SaturatingAdd(from_.begin, static_cast<Ps>(std::llround(std::clamp(offset, -9e18, 9e18))));
  return {
      begin,
      SaturatingAdd(begin, std::max<Ps>(1, static_cast<Ps>(std::llround(std::min(length, 9e18)))))};
}

}  // namespace stepscope
