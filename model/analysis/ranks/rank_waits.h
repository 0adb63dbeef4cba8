// Divides the time before each collective of a rank (docs/rules.md#ranks): into the classes of
// losses, and the host's events in idle time. Times are in ps.
#pragma once

#include <span>

#include "model/analysis/ranks/rank_facts.h"

namespace stepscope {

// Sets RankCall::since and explained, and adds waits, events and causes to the facts of ranks of
// one trace, which have their calls. O(device events + host events in idle time), on all cores.
void AddWaits(AnalysisContext& context, std::span<RankFacts> facts);

}  // namespace stepscope
