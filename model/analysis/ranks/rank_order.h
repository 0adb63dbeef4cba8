// The ranks of a job in the order of their lateness, with the tracks that tell what each does
// (docs/rules.md#ranks): for pictures of all ranks at once. Pure. Any thread.
#pragma once

#include <cstdint>
#include <vector>

#include "model/ids.h"

namespace stepscope {

class AnalysisContext;
struct PairedRanks;

struct RankTracks {
  int64_t number = 0;
  double late_percent = 0;  // of the steps with collectives: the others waited longest for it
  // One or two tracks of the trace's own set: the busiest stream without collectives, then the one
  // with most collectives.
  std::vector<TrackId> tracks;
  bool operator==(const RankTracks&) const = default;
};

// The ranks that take part in collectives, the latest first; equal ones by number. Empty if fewer
// than two do. O(n log n) in collectives.
std::vector<RankTracks> RanksByLateness(const AnalysisContext& context, const PairedRanks& paired);

}  // namespace stepscope
