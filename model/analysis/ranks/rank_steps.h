// The steps of each rank. Times are in ps.
#pragma once

#include <cstdint>
#include <vector>

#include "model/analysis/ranks/rank_list.h"
#include "model/analysis/steps/scope.h"
#include "model/analysis/steps/steps.h"

namespace stepscope {

struct RankStep {
  int64_t number = 0;       // the step's number; ranks with equal numbers share a step of the job
  TimeRange span;           // on the rank's own clock
  Ps total = 0;             // the step's time, mean over the rank's devices
  Ps busy = 0;              // its part in compute and copies
  bool counts = true;       // it counts in medians
  StepClassTimes losses{};  // `total` by class, kCompute included; all 0: not known
};

// The steps by rank, then by begin. Pure. O(n log n) in device steps.
std::vector<std::vector<RankStep>> StepsOfRanks(const std::vector<Rank>& ranks,
                                                const StepDatabase& db, const Scope& scope);
// The step around `t`, or null. O(log n).
const RankStep* StepAt(const std::vector<RankStep>& steps, Ps t);

}  // namespace stepscope
