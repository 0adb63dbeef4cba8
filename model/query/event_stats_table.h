// Statistics of events as a table.
#pragma once

#include <string>
#include <string_view>

#include "model/analysis/result_table.h"
#include "model/query/event_stats.h"
#include "model/trace.h"

namespace stepscope {

struct EventStatsReport {
  const Trace* trace = nullptr;
  const EventStats* stats = nullptr;
  GroupBy by = GroupBy::kName;
  const StepDatabase* steps = nullptr;  // for kStep
  std::string about;                    // text: a line that says of which part and query
  bool wide = false;                    // text: all columns
};

// Where a group is: what tells groups of one name apart.
struct GroupPlace {
  std::string_view process, host;
};
GroupPlace PlaceOfGroup(const EventStatsReport& report, const EventStatsRow& row);
// Whether rows say their host.
bool GroupsHaveHosts(const EventStatsReport& report);

// The groups, a row each. `people`: names readable, means and deviations in whole picoseconds, so
// that they get a unit like the others.
ResultTable StatsTable(const EventStatsReport& report, bool people);

}  // namespace stepscope
