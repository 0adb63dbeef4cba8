#include "model/query/event_stats_table.h"

#include <algorithm>

#include "model/analysis/steps/steps.h"
#include "model/analysis/tables/schema.h"
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
  using R = EventStatsRow;
  struct Facts {
    bool people, tracks, hosts;
  };
  using Field = Schema<R, Facts>::Field;
  const auto for_people = [](const Facts& f) { return f.people; };
  const auto for_data = [](const Facts& f) { return !f.people; };
  const auto rounded = [](double R::*value) {
    return [value](const R& r) { return static_cast<int64_t>(std::min(r.*value, 9e18)); };
  };
  const bool names = people && report.by == GroupBy::kName;
  const auto name = [names](const R& r) {
    const std::string readable = names ? Demangle(r.name) : "";
    return readable.empty() ? r.name : readable;
  };
  const Schema<R, Facts> schema(
      "events", "",
      {{"name", NameLabel(report.by), Unit::kNone, name, "", kKeyColumn},
       Field{"process", "Process", Unit::kNone,
             [&](const R& r) { return PlaceOfGroup(report, r).process; }}
           .When([](const Facts& f) { return f.tracks; }),
       Field{"host", "Host", Unit::kNone, [&](const R& r) { return PlaceOfGroup(report, r).host; }}
           .When([](const Facts& f) { return f.hosts; }),
       {"count", "Count", Unit::kCount, &R::count, "", kKeyColumn},
       {"total_ps", "Total", Unit::kPs, &R::total, "", kKeyColumn},
       {"self_ps", "Self", Unit::kPs, &R::self, "", kKeyColumn},
       Field{"mean_ps", "Mean", Unit::kPs, rounded(&R::mean), "", kKeyColumn}.When(for_people),
       Field{"mean_ps", "Mean", Unit::kPs, &R::mean, "", kKeyColumn}.When(for_data),
       {"median_ps", "Median", Unit::kPs, &R::median},
       {"p95_ps", "p95", Unit::kPs, &R::p95},
       {"p99_ps", "p99", Unit::kPs, &R::p99},
       {"min_ps", "Min", Unit::kPs, &R::min},
       {"max_ps", "Max", Unit::kPs, &R::max},
       Field{"stddev_ps", "Deviation", Unit::kPs, rounded(&R::stddev)}.When(for_people),
       Field{"stddev_ps", "Deviation", Unit::kPs, &R::stddev}.When(for_data)});
  return schema.Make(report.stats->groups,
                     {people, report.by == GroupBy::kTrack, GroupsHaveHosts(report)});
}

}  // namespace stepscope
