// OuterFrames: the Python functions that a thread is in for as long as it is recorded, such as the
// main module and what starts the program. They say little and would fill the first rows of the
// thread, so the timeline shows them as one row. Pure.
#pragma once

#include "model/trace.h"

namespace stepscope {

// How many leading rows of the track hold nothing but one Python frame that is open for at least
// half of the trace; 0 if it is only one. O(result)
uint32_t OuterFrames(const Trace& trace, const Track& track);

}  // namespace stepscope
