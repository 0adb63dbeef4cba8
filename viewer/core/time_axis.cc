#include "viewer/core/time_axis.h"

namespace stepscope {

TimeRange ZoomRange(TimeRange range, double factor, Ps anchor, Ps min_length, Ps max_length) {
  const double length = static_cast<double>(range.length());
  if (length <= 0) return range;
  const double wanted = std::clamp(length * factor, static_cast<double>(min_length),
                                   static_cast<double>(std::max(min_length, max_length)));
  const double share =
      std::clamp(static_cast<double>(SaturatingSub(anchor, range.begin)) / length, 0.0, 1.0);
  const Ps new_length = std::max<Ps>(1, static_cast<Ps>(std::llround(wanted)));
  const Ps begin = SaturatingSub(anchor, static_cast<Ps>(std::llround(wanted * share)));
  return {begin, SaturatingAdd(begin, new_length)};
}

TimeRange ShiftRange(TimeRange range, Ps by) {
  const Ps length = range.length();
  const Ps begin = SaturatingAdd(range.begin, by);
  return {begin, SaturatingAdd(begin, length)};
}

TimeRange KeepNear(TimeRange range, TimeRange whole) {
  const Ps half = range.length() / 2;
  if (range.begin > SaturatingSub(whole.end, half)) {
    return ShiftRange(range, SaturatingSub(SaturatingSub(whole.end, half), range.begin));
  }
  if (range.end < SaturatingAdd(whole.begin, half)) {
    return ShiftRange(range, SaturatingSub(SaturatingAdd(whole.begin, half), range.end));
  }
  return range;
}

}  // namespace stepscope
