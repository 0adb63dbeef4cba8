// The event of another run that does what an event of one run does: of the same name, on a track of
// the same kind, the k-th in the step as it is the k-th there. Pure.
#pragma once

#include "viewer/core/run.h"

namespace stepscope {

// `row` is of the trace's own set. Steps are matched by their numbers, else by their places; where
// a run has none, all of it counts as one. Where there are fewer, the last one; invalid if there is
// none of that name. O(events of tracks of that kind)
EventRow CounterpartOf(const Run& from, EventRow row, const Run& to);

}  // namespace stepscope
