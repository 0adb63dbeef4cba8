// EventStats: how many events there are and how long they take, with and without their children, by
// name, track or step. `stepscope events --stats` writes it and the selection panel shows it. Pure;
// any thread. Definitions: docs/interface.md#events.
// NameRank: how long an event is compared with all events of its name.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/analysis/tables/result_table.h"
#include "model/query/stats_question.h"
#include "model/trace.h"
#include "model/track.h"

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

// The table is made from these. Borrows the trace, the statistics and the steps.
struct EventStatsReport {
  const Trace* trace = nullptr;
  const EventStats* stats = nullptr;
  GroupBy by = GroupBy::kName;
  const StepDatabase* steps = nullptr;  // for GroupBy::kStep
  std::string about;                    // text reports: a line that names the part and the query
  bool wide = false;                    // text reports: all columns
};

// Where a group lies, which tells groups of one name apart. Empty texts where that is unknown.
struct GroupPlace {
  std::string_view process, host;
};
GroupPlace PlaceOfGroup(const EventStatsReport& report, const EventStatsRow& row);
// Whether the table has a column for hosts.
bool GroupsHaveHosts(const EventStatsReport& report);

// One row for each group. `people`: demangles names, and rounds means and deviations to whole
// picoseconds so that they are shown with a unit like the other times.
ResultTable StatsTable(const EventStatsReport& report, bool people);

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
