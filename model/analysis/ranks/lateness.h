// Finds the rank that comes last to each collective, and by how much (docs/rules.md#ranks).
// Durations do not tell, because all participants end together: those that came early have the
// longest. Pure functions, O(n log n); times in ps.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/analysis/ranks/clocks.h"
#include "model/analysis/steps/losses.h"

namespace stepscope {

struct LateCollective {
  uint32_t last = 0;     // index in CollectiveCalls::calls of the call that began last
  Ps late_by = 0;        // its begin after the median of the others' begins
  Ps transfer = 0;       // the shortest duration, which has no waiting in it
  bool several = false;  // two participants or more; else the above is unknown
  bool late = false;     // late_by is more than the error of the clocks
  bool missing = false;  // a member that was recording is not among the participants
};

struct RankLateness {
  std::vector<Ps> late_by;  // for each collective that it was late to
  uint64_t steps = 0;       // steps in which the others waited longest for it
  uint64_t missing = 0;     // collectives of its groups that it did not join
  Ps sum = 0;
};

struct Lateness {
  std::vector<LateCollective> collectives;  // as CollectiveCalls::paired
  std::vector<RankLateness> ranks;
  // Steps with collectives of several ranks, or such collectives if no step is known.
  uint64_t steps = 0;
  uint64_t missing = 0;  // collectives
};

// The time in which each rank was recording, on the clock of its component, by rank.
std::vector<TimeRange> RecordingOf(const CollectiveCalls& calls,
                                   const std::vector<std::vector<RankStep>>& steps,
                                   const std::vector<RankClock>& clocks);

Lateness FindLateness(const CollectiveCalls& calls, const std::vector<RankClock>& clocks,
                      const std::vector<TimeRange>& recording);

// The members that were recording and did not take part, ascending, at most `most`.
std::vector<uint32_t> MissingFrom(const CollectiveCalls& calls, const PairedCollective& c,
                                  const std::vector<RankClock>& clocks,
                                  const std::vector<TimeRange>& recording, size_t most);

// Why ranks are late (docs/rules.md#ranks): what they do longer than the others between their
// last collective and the one that they are late to.

struct LateCause {
  StepTimeClass loss = StepTimeClass::kUnknown;  // kHostToDevice: copies of all directions
  bool known = false;
  std::string event;  // the host's event in most of that time; may be empty
};
// "input", "compute", "copies"; empty if not known.
std::string TextOf(const LateCause& cause);

struct LateCauses {
  std::vector<LateCause> collectives;  // as `listed`, without events
  std::vector<LateCause> ranks;
};

// The causes of ranks are of all collectives that they were late to. `listed`: indices in
// CollectiveCalls::paired of those whose own causes are wanted. `facts`: by rank. Pure.
// O(calls log waits + causes).
LateCauses FindLateCauses(std::span<const RankFacts> facts, const CollectiveCalls& calls,
                          const Lateness& lateness, const std::vector<uint32_t>& listed);

}  // namespace stepscope
