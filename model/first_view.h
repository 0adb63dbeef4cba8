// What the timeline shows first: where the devices work, else all of the trace, unless a few stray
// events stretch it beyond reason. Pure. O(n / 1000 * log lanes), no sorting of events: lanes are
// sorted already.
#pragma once

#include <span>

#include "model/trace.h"

namespace stepscope {

struct FirstView {
  TimeRange range;     // never empty where there is an event
  uint64_t stray = 0;  // events outside; 0 where the range is the full span
};

// The densest 99.9 % of the events where strays are far away, else `full`: first begin to last end
// of the events in `lanes`, and 1 ps more where an instant lies on the end.
FirstView FindDenseView(std::span<const Lane> lanes, TimeRange full);

// The part of `dense` where devices work, with a margin, where that is a small part of it; else
// `dense`. A profile may hold minutes of a host's start and milliseconds of kernels.
TimeRange FindDeviceView(std::span<const Plane> planes, const TrackSet& set, TimeRange dense);

// FindDenseView of a finished trace: what an overview of all of it spans.
TimeRange DenseView(const Trace& trace);

}  // namespace stepscope
