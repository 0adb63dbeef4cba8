// Tables of ranks and of their collectives (docs/rules.md#ranks). Pure functions.
#pragma once

#include "model/analysis/ranks/put_together.h"

namespace stepscope {

// 100 (largest - smallest) / median of the ranks' medians (docs/rules.md#ranks); nothing for
// fewer than two ranks.
Value SpreadPercent(const RankJob& job, Ps RankStep::*field);

// Rows link to events where these are in a trace at hand (`with_events`).
ResultTable RankTable(const RankJob& job, bool with_events);
ResultTable CollectiveTable(std::span<const RankFacts> facts, const RankJob& job, bool with_events);

}  // namespace stepscope
