// Ranges: sorted, disjoint intervals of time, their unions and overlaps. Ends are ps; intervals are
// half open, and those that touch are one. This folder holds what only knows events as spans of
// time: ranges here, the order of events in event_order.h. Pure functions; any thread.
#pragma once

#include <vector>

#include "model/time.h"

namespace stepscope {

using Ranges = std::vector<TimeRange>;

// Adds an interval that begins no earlier than the last one. O(1).
void MergeInto(Ranges* merged, TimeRange r);
// The union of intervals in any order. O(n log n); O(n) where they are sorted by begin.
Ranges UnionOf(Ranges ranges);
Ps LengthOf(const Ranges& ranges);               // ps. O(n)
Ps Overlap(const Ranges& a, const Ranges& b);    // ps that lie in both. O(n)
Ranges Union(const Ranges& a, const Ranges& b);  // O(n log n)

}  // namespace stepscope
