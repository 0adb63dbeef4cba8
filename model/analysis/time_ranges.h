// Sets of times as ranges that neither overlap nor touch, by begin.
#pragma once

#include <algorithm>
#include <vector>

#include "model/time.h"

namespace stepscope {

using TimeRanges = std::vector<TimeRange>;

// The union of ranges in any order. O(n log n), O(n) where they are by begin.
inline TimeRanges UnionOf(TimeRanges ranges) {
  const auto earlier = [](const TimeRange& a, const TimeRange& b) { return a.begin < b.begin; };
  if (!std::is_sorted(ranges.begin(), ranges.end(), earlier))
    std::sort(ranges.begin(), ranges.end(), earlier);
  size_t last = 0;
  for (size_t i = 1; i < ranges.size(); ++i) {
    if (ranges[i].begin <= ranges[last].end) {
      ranges[last].end = std::max(ranges[last].end, ranges[i].end);
    } else {
      ranges[++last] = ranges[i];
    }
  }
  if (!ranges.empty()) ranges.resize(last + 1);
  return ranges;
}

inline Ps LengthOf(const TimeRanges& set) {
  Ps sum = 0;
  for (const TimeRange& r : set) sum += r.length();
  return sum;
}

// Of what both sets have.
inline Ps CommonLength(const TimeRanges& a, const TimeRanges& b) {
  Ps sum = 0;
  for (size_t i = 0, k = 0; i < a.size() && k < b.size();) {
    sum += std::max<Ps>(0, std::min(a[i].end, b[k].end) - std::max(a[i].begin, b[k].begin));
    if (a[i].end < b[k].end) {
      ++i;
    } else {
      ++k;
    }
  }
  return sum;
}

}  // namespace stepscope
