// The steps of each rank. O(device steps log).
#pragma once

#include <cstdint>
#include <vector>

#include "model/analysis/ranks/rank_list.h"
#include "model/analysis/scope.h"
#include "model/analysis/steps.h"

namespace stepscope {

struct RankStep {
  int64_t number = 0;  // of the step; equal ones of several ranks are one step of the job
  TimeRange span;      // on the rank's own clock
  Ps total = 0;        // the step's time, mean over the rank's devices
  Ps busy = 0;         // of it in compute and copies
  bool counts = true;  // in medians
};

// By rank, each by begin.
std::vector<std::vector<RankStep>> StepsOfRanks(const std::vector<Rank>& ranks,
                                                const StepDatabase& db, const Scope& scope);
// The one around `t`; null outside all of them. O(log n).
const RankStep* StepAt(const std::vector<RankStep>& steps, Ps t);

}  // namespace stepscope
