// What the timeline shows first: all of the trace, unless a few stray events stretch it beyond
// reason. Pure. O(n / 1000 * log lanes), no sorting of events: lanes are sorted already.
#pragma once

#include <span>

#include "model/track.h"

namespace stepscope {

struct FirstView {
  TimeRange range;     // never empty where there is an event
  uint64_t stray = 0;  // events outside; 0 where the range is the full span
};

// `full`: first begin to last end of the events in `lanes`.
FirstView FindFirstView(std::span<const Lane> lanes, TimeRange full);

}  // namespace stepscope
