#include <algorithm>

#include "app/report/report.h"
#include "model/analysis/pages/row_events.h"
#include "model/analysis/tables/cells.h"
#include "model/analysis/tables/json_stream.h"
#include "model/analysis/tables/unit_names.h"

namespace stepscope {
namespace {

void WriteFindings(const std::vector<Finding>& findings, JsonStream* json) {
  json->BeginArray();
  for (const Finding& f : findings) {
    json->BeginObject();
    json->Member("grade", GradeName(f.grade));
    json->Member("text", f.text);
    json->Member("next_step", f.next_step);
    json->Member("panel", f.panel);
    json->EndObject();
  }
  json->EndArray();
}

// Writes the events behind a row: [{"begin_ps", "end_ps", "track"}].
void WriteEvents(const Trace& trace, const ResultTable& table, size_t row, JsonStream* json) {
  json->BeginArray();
  for (const RowEvent& event : EventsOfRow(trace, table, row)) {
    json->BeginObject();
    json->Member("begin_ps", event.time.begin);
    json->Member("end_ps", event.time.end);
    json->Member("track", event.track);
    json->EndObject();
  }
  json->EndArray();
}

// Writes the names of a cell, "add.1, dot.3", as a list.
void WriteNames(std::string_view names, JsonStream* json) {
  constexpr std::string_view kBetween = ", ";
  json->BeginArray();
  while (!names.empty()) {
    const size_t end = std::min(names.find(kBetween), names.size());
    json->Write(Value(std::string(names.substr(0, end))));
    names.remove_prefix(std::min(end + kBetween.size(), names.size()));
  }
  json->EndArray();
}

ListColumns ListsOf(const Trace* trace, const AnalysisResult& result, const ResultTable& table) {
  if (result.panel == "hlo_graph" && table.id == "instructions") {
    return {{table.Column("operands"), table.Column("users")},
            [&table](size_t row, size_t column, JsonStream* json) {
              WriteNames(TextAt(table, row, static_cast<int>(column)), json);
            }};
  }
  if (trace == nullptr) return {};
  return {{EventColumn(result, table)}, [trace, &table](size_t row, size_t, JsonStream* json) {
            WriteEvents(*trace, table, row, json);
          }};
}

// Tables list the events of `trace` that their rows are about; if it is null, they list none.
void WriteResult(const AnalysisResult& result, const std::string& only_table, const Trace* trace,
                 JsonStream* json) {
  json->BeginObject("properties");
  for (const Property& p : result.properties) {
    json->Key(p.id);
    json->Write(p.value);
  }
  json->EndObject();
  json->BeginObject("tables");
  for (const ResultTable& table : result.tables) {
    if (!only_table.empty() && table.id != only_table) continue;
    json->Key(table.id);
    WriteTable(table, json, ListsOf(trace, result, table));
  }
  json->EndObject();
  if (!result.findings.empty()) {
    json->Key("findings");
    WriteFindings(result.findings, json);
  }
  if (!result.empty_reason.empty()) json->Member("empty_reason", result.empty_reason);
}

}  // namespace

void WriteReportJson(const ReportInput& input, const TextSink& sink) {
  JsonStream json(sink);
  json.BeginObject();
  json.Member("profile", input.path);
  json.Member("run", input.run);
  json.Member("host", input.host.empty() ? "ALL_HOSTS" : input.host);
  json.BeginObject("panels");
  for (auto panel = input.panels.begin(); panel != input.panels.end(); ++panel) {
    const bool again = std::any_of(input.panels.begin(), panel, [&](const PanelReport& before) {
      return before.analysis == panel->analysis;
    });
    if (again) continue;
    json.BeginObject(panel->analysis->id);
    WriteResult(*panel->Result(), input.table, input.trace.get(), &json);
    json.EndObject();
  }
  json.EndObject();
  json.EndObject();
  json.Finish();
}

void WriteCompareJson(const std::string& a, const std::string& b, const AnalysisResult& result,
                      const std::string& table, const TextSink& sink) {
  JsonStream json(sink);
  json.BeginObject();
  json.Member("a", a);
  json.Member("b", b);
  WriteResult(result, table, nullptr, &json);
  json.EndObject();
  json.Finish();
}

std::shared_ptr<const ResultTable> ReportTable(const ReportInput& input) {
  for (const PanelReport& panel : input.panels) {
    const std::shared_ptr<const AnalysisResult> result = panel.Result();
    for (const ResultTable& table : result->tables) {
      if (input.table.empty() || table.id == input.table)
        return std::shared_ptr<const ResultTable>(result, &table);
    }
  }
  return nullptr;
}

}  // namespace stepscope
