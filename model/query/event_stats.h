// EventStats: how many events there are and how long they take, with and without their children, by
// name, track or step. `stepscope events --stats` writes it and the selection panel shows it. Pure;
// any thread. Definitions: docs/interface.md#events.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/query/duration_bins.h"
#include "model/query/event_stats_row.h"
#include "model/query/stats_question.h"

namespace stepscope {

// How many durations lie in each bin: bin 0 holds those of 0 ps, and bin b
// those of [BinBegin(b), BinBegin(b + 1)).
struct DurationHistogram : DurationBins<2> {
  static constexpr size_t kBins = 256;
  std::array<uint64_t, kBins> counts{};
};

struct EventStats {
  EventStatsRow total;                // all events together; it has no name
  DurationHistogram histogram;        // all events
  std::vector<EventStatsRow> groups;  // the largest total first; equal ones by name
};

// Adds up the slices that the question asks for; instants have no duration and are left out. Self
// time is the duration less that of the events one depth down; on spill lanes, which do not nest,
// it is the whole duration. O(events of the parts), whatever the number of groups; takes 8 bytes
// for each event that counts. Uses several threads.
EventStats AddUp(const StatsQuestion& question);

}  // namespace stepscope
