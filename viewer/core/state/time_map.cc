#include "viewer/core/state/time_map.h"

#include <algorithm>

namespace stepscope {
namespace {

// t * by / of, for positive factors, rounded half away from 0. The product passes 64 bits.
Ps Scale(Ps t, int64_t by, int64_t of) {
  if (by == of) return t;
  __extension__ using Wide = __int128;
  const Wide product = static_cast<Wide>(t) * by, half = of / 2;
  const Wide scaled = (product < 0 ? product - half : product + half) / of;
  return static_cast<Ps>(std::clamp(scaled, static_cast<Wide>(kMinPs), static_cast<Wide>(kMaxPs)));
}

TimeRange NotEmpty(Ps begin, Ps end) { return {begin, std::max(end, SaturatingAdd(begin, 1))}; }

}  // namespace

Ps TimeMap::ToShared(Ps t) const { return SaturatingAdd(Scale(t, shared, of_own), offset); }

Ps TimeMap::ToTrace(Ps t) const { return Scale(SaturatingSub(t, offset), of_own, shared); }

TimeRange TimeMap::ToShared(TimeRange range) const {
  return range.empty() ? TimeRange{} : NotEmpty(ToShared(range.begin), ToShared(range.end));
}

TimeRange TimeMap::ToTrace(TimeRange range) const {
  return range.empty() ? TimeRange{} : NotEmpty(ToTrace(range.begin), ToTrace(range.end));
}

}  // namespace stepscope
