// The scripted frames of `bench`, from the whole trace down to one kernel and back. Nothing here
// draws or measures.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "model/trace.h"

namespace stepscope {

// The range at the bottom of the zoom: the event in the middle of the busiest GPU stream, or of
// the busiest track if there is none. Empty if the trace has no events.
TimeRange DeepestView(const Trace& trace);

// Returns `count` ranges from `whole` to `detail` and back. Each is longer or shorter than the
// one before by a constant factor.
std::vector<TimeRange> ZoomScript(TimeRange whole, TimeRange detail, int count);

struct FrameTimes {
  double median_ms = 0, p99_ms = 0, max_ms = 0;
};
FrameTimes Summarise(std::vector<double> ms);
// {"count", "median_ms", "p99_ms", "max_ms"}
nlohmann::ordered_json FrameTimesJson(std::vector<double> ms);

}  // namespace stepscope
