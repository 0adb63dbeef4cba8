#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/report/report.h"
#include "model/analysis/names.h"

namespace stepscope {
namespace {

using Json = nlohmann::ordered_json;

Json ToJson(const Value& value) {
  if (const auto* s = std::get_if<std::string>(&value)) return *s;
  if (const auto* i = std::get_if<int64_t>(&value)) return *i;
  if (const auto* d = std::get_if<double>(&value)) return *d;
  if (const auto* b = std::get_if<bool>(&value)) return *b;
  return nullptr;
}

Json TableJson(const ResultTable& table) {
  Json columns = Json::array();
  for (const ColumnDesc& c : table.columns) {
    columns.push_back(
        {{"id", c.id}, {"label", c.label}, {"unit", UnitName(c.unit)}, {"type", TypeName(c.type)}});
  }
  Json rows = Json::array();
  for (const auto& row : table.rows) {
    Json object = Json::object();
    for (size_t c = 0; c < std::min(row.size(), table.columns.size()); ++c) {
      object[table.columns[c].id] = ToJson(row[c]);
    }
    rows.push_back(std::move(object));
  }
  Json json;
  json["columns"] = std::move(columns);
  json["rows"] = std::move(rows);
  return json;
}

Json PanelJson(const AnalysisResult& result, const std::string& only_table) {
  Json json;
  json["properties"] = Json::object();
  for (const Property& p : result.properties) json["properties"][p.id] = ToJson(p.value);
  json["tables"] = Json::object();
  for (const ResultTable& table : result.tables) {
    if (only_table.empty() || table.id == only_table) json["tables"][table.id] = TableJson(table);
  }
  if (!result.findings.empty()) {
    json["findings"] = Json::array();
    for (const Finding& f : result.findings) {
      json["findings"].push_back({{"grade", GradeName(f.grade)},
                                  {"text", f.text},
                                  {"next_step", f.next_step},
                                  {"panel", f.panel}});
    }
  }
  if (!result.empty_reason.empty()) json["empty_reason"] = result.empty_reason;
  return json;
}

}  // namespace

std::string ReportJson(const ReportInput& input) {
  Json json;
  json["profile"] = input.path;
  json["run"] = input.run;
  json["host"] = input.host.empty() ? "ALL_HOSTS" : input.host;
  json["panels"] = Json::object();
  for (const PanelReport& panel : input.panels) {
    json["panels"][panel.analysis->id] = PanelJson(panel.result, input.table);
  }
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

const ResultTable* ReportTable(const ReportInput& input) {
  for (const PanelReport& panel : input.panels) {
    for (const ResultTable& table : panel.result.tables) {
      if (input.table.empty() || table.id == input.table) return &table;
    }
  }
  return nullptr;
}

}  // namespace stepscope
