// NameRank: how long an event is compared with all events of its name. Pure; any thread.
#pragma once

#include <cstdint>

#include "model/query/event_stats.h"
#include "model/track.h"

namespace stepscope {

struct NameRank {
  DurationHistogram histogram;  // all events of the name
  uint64_t count = 0;           // their number, the event itself included
  Ps total = 0;                 // sum of their durations; kMaxPs if it is larger
  uint64_t shorter = 0, longer = 0;
};

// Ranks a slice among the slices of its name on all tracks of the set. An instant has no duration
// and no rank: count is 0. O(events of the set), which is too slow for a frame.
NameRank RankByName(const TrackSet& set, EventRow row);

}  // namespace stepscope
