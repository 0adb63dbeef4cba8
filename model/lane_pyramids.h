// Builds the pyramids of a set's lanes on several threads. A part of TraceBuilder and ShiftHosts.
#pragma once

#include <stop_token>
#include <vector>

#include "model/track.h"

namespace stepscope {

// After a stop some pyramids are missing. O(events).
void BuildPyramids(std::vector<Lane>* lanes, const std::stop_token& stop);

}  // namespace stepscope
