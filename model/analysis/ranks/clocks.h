// The clocks of ranks, aligned by the ends of their collectives (docs/rules.md#ranks).
// O(n log n) in the calls.
#pragma once

#include <vector>

#include "model/analysis/ranks/collective_calls.h"

namespace stepscope {

struct RankClock {
  Ps offset = 0;    // its clock shows so much more than that of the first rank of its component
  Ps residual = 0;  // median distance of its ends from the median end, once aligned
  uint32_t component = 0;  // ranks that share collectives, also by way of others; the first rank
  bool aligned = false;    // shares collectives with others
};

// By rank. The first rank of each component has offset 0.
std::vector<RankClock> AlignClocks(const CollectiveCalls& calls, size_t ranks);

// The lower median, of what is not empty; reorders. O(n).
Ps MedianOf(std::vector<Ps>* values);

}  // namespace stepscope
