// The cores of TPUs: what their lines tell, by the core's own clock (docs/rules.md#tpu). This
// folder knows events of cores and no steps. Start here: CoreEventsOf() reads a line; core_clock.h
// leads from the core's clock to the session's, by which the timeline is drawn; core_op.h says what
// an op does or waits for; program_runs.h finds the runs of programs; async_waits.h joins the ops
// that start asynchronous work with those that wait for it.
//
// Values; any thread. Times are ps.
#pragma once

#include <vector>

#include "model/analysis/intervals/time_scope.h"
#include "model/stats.h"
#include "model/trace.h"

namespace stepscope {

struct CoreEvent {
  EventRow row;
  uint32_t meta = 0;
  Ps begin = 0, duration = 0;  // of the core, if the event has both stats; else of the session
  Ps self = 0;                 // duration less that of the events directly inside
  Ps session = 0;              // its begin by the session's clock
  Ps end() const { return SaturatingAdd(begin, duration); }
};

// The events of the track that begin in the scope, by the session's clock, in the order of the
// file. O(n log n).
std::vector<CoreEvent> CoreEventsOf(const Trace& trace, const StatTable& stats, const Track& track,
                                    const TimeScope& scope);

// The track of the plane of that kind with most events; null if none has any. O(tracks).
const Track* CoreLine(const Trace& trace, const Plane& core, TrackKind kind);

}  // namespace stepscope
