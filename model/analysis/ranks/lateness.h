// Who comes last to each collective and by how much (docs/rules.md#ranks). Durations do not tell:
// all participants end together, and those that came early have the longest. O(n log n).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "model/analysis/ranks/clocks.h"

namespace stepscope {

struct LateCollective {
  uint32_t last = 0;     // the call that began last, of CollectiveCalls::calls
  Ps late_by = 0;        // after the median of the others' begins
  Ps transfer = 0;       // the shortest duration: of whom nobody was waited for
  bool several = false;  // two participants or more: else nothing above is known
  bool late = false;     // late_by is more than what clocks leave open
  bool missing = false;  // a member that was recording is not among the participants
};

struct RankLateness {
  std::vector<Ps> late_by;  // of each collective that it was late to
  uint64_t steps = 0;       // in which the others waited for it more than for anyone else
  uint64_t missing = 0;     // collectives of its groups without it
  Ps sum = 0;
};

struct Lateness {
  std::vector<LateCollective> collectives;  // as CollectiveCalls::paired
  std::vector<RankLateness> ranks;
  uint64_t steps = 0;    // with collectives of several; where no step is known, such collectives
  uint64_t missing = 0;  // collectives
};

// When each rank was recording, on the clock of its component. By rank.
std::vector<TimeRange> RecordingOf(const CollectiveCalls& calls,
                                   const std::vector<std::vector<RankStep>>& steps,
                                   const std::vector<RankClock>& clocks);

Lateness FindLateness(const CollectiveCalls& calls, const std::vector<RankClock>& clocks,
                      const std::vector<TimeRange>& recording);

// Members that were recording and did not take part, ascending; at most `most`.
std::vector<uint32_t> MissingFrom(const CollectiveCalls& calls, const PairedCollective& c,
                                  const std::vector<RankClock>& clocks,
                                  const std::vector<TimeRange>& recording, size_t most);

}  // namespace stepscope
