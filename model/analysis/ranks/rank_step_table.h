// The table of each rank's steps: how late it was in each (docs/rules.md#ranks). Pure.
#pragma once

#include "model/analysis/ranks/rank_tables.h"

namespace stepscope {

inline constexpr size_t kMostRankSteps = 20'000;

// A row for each step of each rank that some collectives are known of: the first steps, of all
// ranks, up to `most` rows. With `with_events`, rows link to the calls that the others
// waited for, else to all calls of the rank in the step, and to the step's time. Empty without
// steps. O(calls log calls).
ResultTable RankStepTable(const RankJob& job, bool with_events, size_t most = kMostRankSteps);

}  // namespace stepscope
