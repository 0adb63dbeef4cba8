// The events of a TPU core's line by the core's own clock (docs/rules.md#tpu). The session's clock,
// which the timeline shows, bends by up to hundreds of milliseconds against it.
#pragma once

#include <vector>

#include "model/analysis/steps/scope.h"
#include "model/stats.h"
#include "model/trace.h"

namespace stepscope {

struct CoreEvent {
  EventRow row;
  uint32_t meta = 0;
  Ps begin = 0, duration = 0;  // of the core, if the event has both stats; else of the session
  Ps self = 0;                 // duration less that of the events directly inside
  Ps end() const { return SaturatingAdd(begin, duration); }
};

// The events of the track that begin in the scope, by the session's clock, in the order of the
// file. O(n log n).
std::vector<CoreEvent> CoreEventsOf(const Trace& trace, const StatTable& stats, const Track& track,
                                    const TimeScope& scope);

}  // namespace stepscope
