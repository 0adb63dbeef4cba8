// Finds an event again in another trace of the same profile, such as one that has more of it. Pure;
// any thread.
#pragma once

#include "model/trace.h"

namespace stepscope {

// The event of the same begin, length and name on the track of the same path; of several, the
// first. Invalid if there is none. `row` is a row of the trace's own set. O(tracks).
EventRow SameEvent(const Trace& from, EventRow row, const Trace& to);

}  // namespace stepscope
