// Makes the facts of ranks from their trace (docs/rules.md#ranks). Pure; any thread.
#pragma once

#include <vector>

#include "model/analysis/ranks/rank_facts.h"

namespace stepscope {

// How much of the facts is made.
enum class FactsDepth : uint8_t {
  kCalls,  // ranks, steps and collectives
  kWaits,  // also what the time before collectives went to
  kAll     // also kernels
};

// The facts of the ranks that `params` names, by number, over the whole trace: of params, hosts
// only. A trace without collectives has facts too; of a rank alone, all but kAll has only the rank.
// O(device events + host events in idle time).
std::vector<RankFacts> GatherFacts(AnalysisContext& context, const AnalysisParams& params,
                                   FactsDepth depth);

}  // namespace stepscope
