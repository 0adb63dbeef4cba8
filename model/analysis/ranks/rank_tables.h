// Tables of ranks and of their collectives (docs/rules.md#ranks). Pure functions.
#pragma once

#include "model/analysis/ranks/late_causes.h"
#include "model/analysis/tables/result_table.h"

namespace stepscope {

// Everything that is known of the ranks of one job.
struct RankFacts {
  std::vector<Rank> ranks;
  std::vector<std::vector<RankStep>> steps;
  CollectiveCalls calls;
  std::vector<RankClock> clocks;
  std::vector<TimeRange> recording;
  Lateness lateness;
  std::vector<uint32_t> listed;  // indices in CollectiveCalls::paired, in the order of the table
  LateCauses causes;             // causes.collectives are as `listed`
};

// The median over a rank's steps that count, or over all if none counts; nothing without steps.
Value MedianOfSteps(const std::vector<RankStep>& steps, Ps RankStep::*field);
// 100 (largest - smallest) / median of the ranks' medians (docs/rules.md#ranks); nothing for
// fewer than two ranks.
Value SpreadPercent(const RankFacts& facts, Ps RankStep::*field);

// Indices of the collectives to list: those that lack a participant first, then by falling
// lateness, at most 20,000 with 250,000 calls. O(n log n).
std::vector<uint32_t> ListedCollectives(const CollectiveCalls& calls, const Lateness& lateness);

ResultTable RankTable(const Trace& trace, const RankFacts& facts);
ResultTable CollectiveTable(AnalysisContext& context, const RankFacts& facts, std::stop_token stop);

}  // namespace stepscope
