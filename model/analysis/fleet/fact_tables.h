// What `stepscope-fleet` writes of each profile (docs/fleet.md#parts): the facts of its ranks with
// their memory, and tables of them. Any thread.
#pragma once

#include <span>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/analysis/ranks/rank_facts.h"

namespace stepscope {

// Sets peak and capacity of ranks that are alone on their host, from the allocator of a device that
// held most; where no allocator of a device recorded, from the largest. O(n log n) in memory
// events.
void AddMemory(AnalysisContext& context, std::vector<RankFacts>* facts);

// Calls name their rank by its place, because a profile alone does not know its rank's number.
std::vector<ResultTable> FactTables(std::span<const RankFacts> facts);

}  // namespace stepscope
