// TimeMap: leads from the time of one trace to the axis that all open profiles share, and back. A
// value; whole picoseconds in and out. Without a stretch it is exact. With one, times are rounded
// to the nearest picosecond, and ToTrace(ToShared(t)) is t unless the map shrinks. Times beyond the
// range of Ps saturate. O(1).
#pragma once

#include <cstdint>

#include "model/time.h"

namespace stepscope {

struct TimeMap {
  Ps offset = 0;                   // the shared time at the trace's time 0
  int64_t shared = 1, of_own = 1;  // this much shared time for this much of its own; above 0

  Ps ToShared(Ps t) const;
  Ps ToTrace(Ps t) const;
  // An empty range ("none") stays empty, and no other one becomes empty.
  TimeRange ToShared(TimeRange range) const;
  TimeRange ToTrace(TimeRange range) const;
  bool operator==(const TimeMap&) const = default;
};

}  // namespace stepscope
