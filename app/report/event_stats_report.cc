#include "app/report/event_stats_report.h"

#include <algorithm>

#include "app/report/text_layout.h"
#include "model/analysis/tables/json_stream.h"
#include "model/base/digits.h"
#include "model/base/terminal_text.h"

namespace stepscope {
namespace {

void WriteRow(const EventStatsReport& report, const EventStatsRow& row, bool group,
              JsonStream* json) {
  json->BeginObject();
  json->Member("name", row.name);
  if (group && report.by == GroupBy::kTrack)
    json->Member("process", PlaceOfGroup(report, row).process);
  if (group && GroupsHaveHosts(report)) json->Member("host", PlaceOfGroup(report, row).host);
  json->Member("count", row.count);
  json->Member("total_ps", row.total);
  json->Member("self_ps", row.self);
  json->Member("mean_ps", row.mean);
  json->Member("median_ps", row.median);
  json->Member("p95_ps", row.p95);
  json->Member("p99_ps", row.p99);
  json->Member("min_ps", row.min);
  json->Member("max_ps", row.max);
  json->Member("stddev_ps", row.stddev);
  json->EndObject();
}

}  // namespace

void WriteStatsJson(const EventStatsReport& report, const TextSink& sink) {
  JsonStream json(sink);
  json.BeginObject();
  json.Key("total");
  WriteRow(report, report.stats->total, false, &json);
  json.BeginArray("groups");
  for (const EventStatsRow& row : report.stats->groups) WriteRow(report, row, true, &json);
  json.EndArray();
  json.EndObject();
  json.Finish();
}

void WriteStatsCsv(const EventStatsReport& report, const TextSink& sink) {
  WriteCsv(StatsTable(report, false), sink);
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
  WriteText(StatsTable(report, true), {0, report.wide ? size_t{0} : size_t{100}}, sink);
}

}  // namespace stepscope
