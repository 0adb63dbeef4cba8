// EventStats as a table.
#pragma once

#include <string>
#include <string_view>

#include "model/analysis/tables/result_table.h"
#include "model/query/event_stats.h"
#include "model/trace.h"

namespace stepscope {

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

}  // namespace stepscope
