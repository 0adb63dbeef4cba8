// What TraceBuilder and those who derive a trace from another fill in: facts that do not depend on
// events, and the pyramids of lanes.
#pragma once

#include <stop_token>
#include <vector>

#include "model/trace.h"
#include "model/track.h"

namespace stepscope {

// Copies to a trace that is derived from `from`: format, path, run, origin, sizes, hosts, planes,
// programs, diagnostics, messages, and the title and names of the set. O(hosts + planes)
void CopyTraceFacts(const Trace& from, Trace* to);

// Builds the pyramids of a set's lanes on several threads. After a stop some are missing. O(events)
void BuildPyramids(std::vector<Lane>* lanes, const std::stop_token& stop);

}  // namespace stepscope
