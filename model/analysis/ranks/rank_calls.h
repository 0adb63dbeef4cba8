// The collectives of one rank (docs/rules.md#ranks). Times are in ps.
#pragma once

#include <vector>

#include "model/analysis/ranks/rank_facts.h"

namespace stepscope {

// Adds names, groups and calls to facts that have a rank and its steps. `on_host`:
// HostCollectiveMetas(). O(device events).
void AddCalls(AnalysisContext& context, const DeviceEvents& events,
              const std::vector<uint8_t>& on_host, RankFacts* facts);

}  // namespace stepscope
