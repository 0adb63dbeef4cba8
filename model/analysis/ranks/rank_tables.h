// Tables of ranks and of their collectives (docs/rules.md#ranks). Pure.
#pragma once

#include "model/analysis/ranks/late_causes.h"
#include "model/analysis/result_table.h"

namespace stepscope {

// All that is known of the ranks of one job.
struct RankFacts {
  std::vector<Rank> ranks;
  std::vector<std::vector<RankStep>> steps;
  CollectiveCalls calls;
  std::vector<RankClock> clocks;
  std::vector<TimeRange> recording;
  Lateness lateness;
  std::vector<uint32_t> listed;  // of CollectiveCalls::paired, in the order of the table
  LateCauses causes;             // `collectives` as `listed`
};

// Medians over a rank's steps that count, over all where none does; nothing without steps.
Value MedianOfSteps(const std::vector<RankStep>& steps, Ps RankStep::*field);
// 100 (largest - smallest) / median of the ranks' medians; nothing for fewer than two.
Value SpreadPercent(const RankFacts& facts, Ps RankStep::*field);

// Collectives that lack a participant first, then by falling lateness: at most 20,000, and 250,000
// calls of them. The later ones are cut. O(n log n).
std::vector<uint32_t> ListedCollectives(const CollectiveCalls& calls, const Lateness& lateness);

ResultTable RankTable(const Trace& trace, const RankFacts& facts);
ResultTable CollectiveTable(AnalysisContext& context, const RankFacts& facts, std::stop_token stop);

}  // namespace stepscope
