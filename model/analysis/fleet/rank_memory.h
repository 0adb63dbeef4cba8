// The memory of ranks (docs/fleet.md#parts). Any thread.
#pragma once

#include <vector>

#include "model/analysis/analysis.h"
#include "model/analysis/ranks/rank_facts.h"

namespace stepscope {

// Sets peak and capacity of ranks that are alone on their host, from the allocator of a device that
// held most; where no allocator of a device recorded, from the largest. O(n log n) in memory
// events.
void AddMemory(AnalysisContext& context, std::vector<RankFacts>* facts);

}  // namespace stepscope
