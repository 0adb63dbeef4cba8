// Ranges: sorted, disjoint intervals of time, and what they have in common. Pure.
#pragma once

#include <vector>

#include "model/time.h"

namespace stepscope {

using Ranges = std::vector<TimeRange>;

void MergeInto(Ranges* merged, TimeRange r);  // r begins no earlier than the last one
Ranges UnionOf(Ranges ranges);      // of any order. O(n log n), O(n) where they are by begin
Ps LengthOf(const Ranges& ranges);  // O(n)
Ps Overlap(const Ranges& a, const Ranges& b);    // the time in both. O(n)
Ranges Union(const Ranges& a, const Ranges& b);  // O(n log n)

}  // namespace stepscope
