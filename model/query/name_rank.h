// NameRank: where an event lies among those of its name, by duration. Pure; any thread.
#pragma once

#include <cstdint>
#include <stop_token>

#include "model/query/event_stats.h"
#include "model/track.h"

namespace stepscope {

struct NameRank {
  DurationHistogram histogram;  // of all of the name
  uint64_t count = 0;           // the event itself among them
  uint64_t shorter = 0, longer = 0;
};

// Slices of all tracks of the set that have the event's name; instants have no duration. An instant
// has no rank: count 0. Stops early with what it has when told to. O(events of the set): not for a
// frame.
NameRank RankByName(const TrackSet& set, EventRow row, const std::stop_token& stop = {});

}  // namespace stepscope
