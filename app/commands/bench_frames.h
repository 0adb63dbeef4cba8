// The scripted frames of `bench`: from the whole trace down to one kernel and back. Pure.
#pragma once

#include <vector>

#include "model/trace.h"

namespace stepscope {

// The event at the bottom of the zoom: of the busiest GPU stream (else the busiest track), the one
// in the middle. An empty range if the trace has no events.
TimeRange DeepestView(const Trace& trace);

// `count` ranges from `whole` to `detail` and back, each a constant factor from the one before.
std::vector<TimeRange> ZoomScript(TimeRange whole, TimeRange detail, int count);

struct FrameTimes {
  double median_ms = 0, p99_ms = 0, max_ms = 0;
};
FrameTimes Summarise(std::vector<double> ms);

}  // namespace stepscope
