// FirstView: what the timeline shows first. That is the part in which the devices work, else the
// whole trace without the few stray events that would stretch it. Pure. O(n / 1000 * log lanes),
// because lanes are sorted already.
#pragma once

#include <span>

#include "model/trace.h"

namespace stepscope {

struct FirstView {
  TimeRange range;     // not empty if there are events
  uint64_t stray = 0;  // events outside; 0 if the range is the full span
};

// The range of the densest 99.9 % of the events if the others lie far away, else `full`. `full` is
// the range from the first begin to the last end of the events in `lanes`. The result is 1 ps
// longer if an instant lies on its end.
FirstView FindDenseView(std::span<const Lane> lanes, TimeRange full);

// The part of `dense` in which devices work, with a margin. A profile may have minutes of a host's
// start and milliseconds of kernels. Up to a quarter of the devices' part stays before it and a
// twentieth behind it. Without devices: `dense`.
TimeRange FindDeviceView(std::span<const Plane> planes, const TrackSet& set, TimeRange dense);

// From the first begin to the last end of all events, or of the counters' values where there are no
// events. O(tracks).
TimeRange SpanOf(std::span<const Track> tracks);

// Sets the span and the views of a trace that has its tracks and lanes. Returns the stray events.
uint64_t SetViews(Trace* trace);

}  // namespace stepscope
