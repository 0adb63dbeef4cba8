#include "viewer/core/look/time_axis.h"

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

TimeRange KeepInside(TimeRange range, TimeRange whole) {
  if (whole.empty()) return range;
  if (range.length() >= whole.length()) return whole;
  if (range.begin < whole.begin) return ShiftRange(range, SaturatingSub(whole.begin, range.begin));
  if (range.end > whole.end) return ShiftRange(range, SaturatingSub(whole.end, range.end));
  return range;
}

}  // namespace stepscope
