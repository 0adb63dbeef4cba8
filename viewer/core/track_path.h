// Stable names of planes and tracks. Pure; O(length of the name).
#pragma once

#include <string>

#include "model/trace.h"

namespace stepscope {

// Stable names of planes and tracks, for collapse and event keys: "host/plane",
// "host/plane/track#id".
std::string PlanePath(const Trace& trace, PlaneId plane);
std::string TrackPath(const Trace& trace, const TrackSet& set, TrackId track);

}  // namespace stepscope
