// Aligns the clocks of ranks by the ends of their collectives (docs/rules.md#ranks). Pure
// functions; any thread may call them.
#pragma once

#include <vector>

#include "model/analysis/ranks/collective_calls.h"

namespace stepscope {

struct RankClock {
  Ps offset = 0;           // what its clock shows more than that of its component's first rank
  Ps residual = 0;         // median distance of its aligned ends from the median end
  uint32_t component = 0;  // first rank of those that share collectives, directly or by others
  bool aligned = false;    // it shares collectives with others
};

// The clocks by rank. The first rank of each component has offset 0. O(n log n) in the calls.
std::vector<RankClock> AlignClocks(const CollectiveCalls& calls, size_t ranks);

}  // namespace stepscope
