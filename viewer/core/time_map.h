// TimeMap: where the times of one run lie on the axis that all open runs share. A value; whole
// picoseconds in and out. Without a stretch it is exact and its own inverse; with one, times are
// rounded to the nearest picosecond, and ToTrace(ToShared(t)) is t as long as nothing is shrunk.
// Times that pass the range of Ps saturate. O(1).
#pragma once

#include <cstdint>

#include "model/time.h"

namespace stepscope {

struct TimeMap {
  Ps offset = 0;                   // shared time of the trace's time 0
  int64_t shared = 1, of_own = 1;  // so much shared time stands for so much of its own; above 0

  Ps ToShared(Ps t) const;
  Ps ToTrace(Ps t) const;
  // Empty ranges stay empty ("none"), others do not become so.
  TimeRange ToShared(TimeRange range) const;
  TimeRange ToTrace(TimeRange range) const;
  bool operator==(const TimeMap&) const = default;
};

}  // namespace stepscope
