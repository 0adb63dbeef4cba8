#include "app/report/event_stats_report.h"

#include <cmath>
#include <string>
#include <string_view>

#include "app/report/text_layout.h"
#include "model/analysis/result_table.h"
#include "model/analysis/steps.h"
#include "model/base/demangle.h"
#include "model/base/digits.h"
#include "model/base/terminal_text.h"
#include "viewer/widgets/json_stream.h"

namespace stepscope {
namespace {

// Where the group is: what tells groups of one name apart.
struct Place {
  std::string_view process, host;
};

Place PlaceOf(const EventStatsReport& report, const EventStatsRow& row) {
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

bool HasHosts(const EventStatsReport& report) {
  return report.trace->hosts.size() > 1 && report.by != GroupBy::kName;
}

void WriteRow(const EventStatsReport& report, const EventStatsRow& row, bool group,
              JsonStream* json) {
  const auto number = [json](const char* key, Ps value) {
    json->Key(key);
    json->Int(value);
  };
  const auto real = [json](const char* key, double value) {
    json->Key(key);
    json->Real(value);
  };
  json->BeginObject();
  json->Member("name", row.name);
  if (group && report.by == GroupBy::kTrack) json->Member("process", PlaceOf(report, row).process);
  if (group && HasHosts(report)) json->Member("host", PlaceOf(report, row).host);
  json->Member("count", row.count);
  number("total_ps", row.total);
  number("self_ps", row.self);
  real("mean_ps", row.mean);
  number("median_ps", row.median);
  number("p95_ps", row.p95);
  number("p99_ps", row.p99);
  number("min_ps", row.min);
  number("max_ps", row.max);
  real("stddev_ps", row.stddev);
  json->EndObject();
}

const char* NameLabel(GroupBy by) {
  if (by == GroupBy::kTrack) return "Track";
  return by == GroupBy::kStep ? "Step" : "Name";
}

// `people`: means and deviations in whole picoseconds, so that they get a unit like the others.
ResultTable TableOf(const EventStatsReport& report, bool people) {
  ResultTable table;
  table.id = "events";
  const bool tracks = report.by == GroupBy::kTrack, hosts = HasHosts(report);
  const ValueType real = people ? ValueType::kInt : ValueType::kReal;
  table.columns.push_back(
      {"name", NameLabel(report.by), Unit::kNone, ValueType::kString, "", true});
  if (tracks) table.columns.push_back({"process", "Process", Unit::kNone, ValueType::kString, ""});
  if (hosts) table.columns.push_back({"host", "Host", Unit::kNone, ValueType::kString, ""});
  table.columns.push_back({"count", "Count", Unit::kCount, ValueType::kInt, "", true});
  table.columns.push_back({"total_ps", "Total", Unit::kPs, ValueType::kInt, "", true});
  table.columns.push_back({"self_ps", "Self", Unit::kPs, ValueType::kInt, "", true});
  table.columns.push_back({"mean_ps", "Mean", Unit::kPs, real, "", true});
  table.columns.push_back({"median_ps", "Median", Unit::kPs, ValueType::kInt, ""});
  table.columns.push_back({"p95_ps", "p95", Unit::kPs, ValueType::kInt, ""});
  table.columns.push_back({"p99_ps", "p99", Unit::kPs, ValueType::kInt, ""});
  table.columns.push_back({"min_ps", "Min", Unit::kPs, ValueType::kInt, ""});
  table.columns.push_back({"max_ps", "Max", Unit::kPs, ValueType::kInt, ""});
  table.columns.push_back({"stddev_ps", "Deviation", Unit::kPs, real, ""});
  const auto rounded = [people](double value) {
    return people ? Value(static_cast<int64_t>(std::min(value, 9e18))) : Value(value);
  };
  for (const EventStatsRow& row : report.stats->groups) {
    std::vector<Value>& cells = table.rows.emplace_back();
    const std::string readable = people && report.by == GroupBy::kName ? Demangle(row.name) : "";
    cells.push_back(readable.empty() ? Value(row.name) : Value(readable));
    if (tracks) cells.push_back(SharedText(PlaceOf(report, row).process));
    if (hosts) cells.push_back(SharedText(PlaceOf(report, row).host));
    cells.push_back(static_cast<int64_t>(row.count));
    cells.insert(cells.end(), {row.total, row.self, rounded(row.mean), row.median, row.p95, row.p99,
                               row.min, row.max, rounded(row.stddev)});
  }
  return table;
}

}  // namespace

void WriteStatsJson(const EventStatsReport& report, const TextSink& sink) {
  JsonStream json(sink);
  json.BeginObject();
  json.Key("total");
  WriteRow(report, report.stats->total, false, &json);
  json.Key("groups");
  json.BeginArray();
  for (const EventStatsRow& row : report.stats->groups) WriteRow(report, row, true, &json);
  json.EndArray();
  json.EndObject();
  json.Finish();
}

void WriteStatsCsv(const EventStatsReport& report, const TextSink& sink) {
  WriteCsv(TableOf(report, false), sink);
}

void WriteStatsText(const EventStatsReport& report, const TextSink& sink) {
  const EventStatsRow& total = report.stats->total;
  TextRows rows;
  const auto add = [&rows](const char* label, Ps time) { rows.Add({label, FormatDuration(time)}); };
  rows.Add({"events", GroupDigits(total.count)});
  if (total.count > 0) {
    add("total", total.total);
    add("self", total.self);
    add("mean", static_cast<Ps>(std::min(total.mean, 9e18)));
    add("median", total.median);
    add("p95", total.p95);
    add("p99", total.p99);
    add("min", total.min);
    add("max", total.max);
    add("deviation", static_cast<Ps>(std::min(total.stddev, 9e18)));
  }
  TextBuffer out(sink);
  if (!report.about.empty()) out += TerminalText(report.about) + "\n";
  out += rows.Render();
  if (report.stats->groups.empty()) return;
  out += "\n";
  out.Flush();
  WriteText(TableOf(report, true), {0, report.wide ? size_t{0} : size_t{100}}, sink);
}

}  // namespace stepscope
