#include "model/query/event_stats_table.h"

#include <algorithm>

#include "model/analysis/steps/steps.h"
#include "model/base/demangle.h"

namespace stepscope {
namespace {

const char* NameLabel(GroupBy by) {
  if (by == GroupBy::kTrack) return "Track";
  return by == GroupBy::kStep ? "Step" : "Name";
}

}  // namespace

GroupPlace PlaceOfGroup(const EventStatsReport& report, const EventStatsRow& row) {
  const Trace& trace = *report.trace;
  if (report.by == GroupBy::kStep && report.steps != nullptr &&
      row.step < report.steps->steps.size())
    return {{}, trace.HostName(report.steps->steps[row.step].host)};
  if (report.by != GroupBy::kTrack || row.track.value >= trace.set.tracks.size()) return {};
  const PlaneId plane = trace.set.tracks[row.track.value].plane;
  if (plane.value >= trace.planes.size()) return {};
  return {trace.names().strings.View(trace.planes[plane.value].name),
          trace.HostName(trace.planes[plane.value].host)};
}

bool GroupsHaveHosts(const EventStatsReport& report) {
  return report.trace->hosts.size() > 1 && report.by != GroupBy::kName;
}

ResultTable StatsTable(const EventStatsReport& report, bool people) {
  ResultTable table;
  table.id = "events";
  const bool tracks = report.by == GroupBy::kTrack, hosts = GroupsHaveHosts(report);
  const ValueType real = people ? ValueType::kInt : ValueType::kReal;
  table.AddColumn({"name", NameLabel(report.by), Unit::kNone, ValueType::kString, "", true});
  if (tracks) table.AddColumn({"process", "Process", Unit::kNone, ValueType::kString, ""});
  if (hosts) table.AddColumn({"host", "Host", Unit::kNone, ValueType::kString, ""});
  table.AddColumn({"count", "Count", Unit::kCount, ValueType::kInt, "", true});
  table.AddColumn({"total_ps", "Total", Unit::kPs, ValueType::kInt, "", true});
  table.AddColumn({"self_ps", "Self", Unit::kPs, ValueType::kInt, "", true});
  table.AddColumn({"mean_ps", "Mean", Unit::kPs, real, "", true});
  table.AddColumn({"median_ps", "Median", Unit::kPs, ValueType::kInt, ""});
  table.AddColumn({"p95_ps", "p95", Unit::kPs, ValueType::kInt, ""});
  table.AddColumn({"p99_ps", "p99", Unit::kPs, ValueType::kInt, ""});
  table.AddColumn({"min_ps", "Min", Unit::kPs, ValueType::kInt, ""});
  table.AddColumn({"max_ps", "Max", Unit::kPs, ValueType::kInt, ""});
  table.AddColumn({"stddev_ps", "Deviation", Unit::kPs, real, ""});
  const auto rounded = [people](double value) {
    return people ? Value(static_cast<int64_t>(std::min(value, 9e18))) : Value(value);
  };
  for (const EventStatsRow& row : report.stats->groups) {
    std::vector<Value> cells;
    const std::string readable = people && report.by == GroupBy::kName ? Demangle(row.name) : "";
    cells.push_back(readable.empty() ? Value(row.name) : Value(readable));
    if (tracks) cells.push_back(SharedText(PlaceOfGroup(report, row).process));
    if (hosts) cells.push_back(SharedText(PlaceOfGroup(report, row).host));
    cells.push_back(static_cast<int64_t>(row.count));
    cells.insert(cells.end(), {row.total, row.self, rounded(row.mean), row.median, row.p95, row.p99,
                               row.min, row.max, rounded(row.stddev)});
    table.AddRow(std::move(cells));
  }
  return table;
}

}  // namespace stepscope
