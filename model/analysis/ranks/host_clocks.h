// Pairs the collectives of all ranks and aligns the clocks of their hosts (docs/rules.md#ranks).
// Times are in ps. Pure.
#pragma once

#include <memory>
#include <vector>

#include "model/analysis/ranks/clocks.h"
#include "model/trace.h"

namespace stepscope {

// The facts about ranks over the whole trace. With fewer than two ranks there is nothing but
// `ranks`.
struct PairedRanks {
  std::vector<Rank> ranks;
  std::vector<std::vector<RankStep>> steps;  // by rank
  CollectiveCalls calls;
  std::vector<RankClock> clocks;  // by rank
};

// `params`: hosts only. O(n log n) in collectives, O(n) in device events.
PairedRanks PairRanks(AnalysisContext& context, const AnalysisParams& params);

// By host of the trace, what its clock shows more than the first rank's: the median of its ranks
// that share collectives with other ranks. 0 for a host without such ranks, and where the offset is
// not above 5 us and twice the residual. Empty if all of them are 0.
std::vector<Ps> HostClockOffsets(AnalysisContext& context);
// The same of ranks that are paired already.
std::vector<Ps> HostClockOffsets(const Trace& trace, const PairedRanks& paired);

// The trace of the context on the first rank's clock. Its events keep their rows. Null if there is
// nothing to align. O(events)
std::shared_ptr<const Trace> OnOneClock(AnalysisContext& context,
                                        const std::shared_ptr<const Trace>& trace);

}  // namespace stepscope
