#include <nlohmann/json.hpp>

#include "app/report/report.h"
#include "model/analysis/names.h"
#include "viewer/widgets/table_json.h"

namespace stepscope {
namespace {

using Json = nlohmann::ordered_json;

Json PanelJson(const AnalysisResult& result, const std::string& only_table) {
  Json json;
  json["properties"] = Json::object();
  for (const Property& p : result.properties) json["properties"][p.id] = ToJson(p.value);
  json["tables"] = Json::object();
  for (const ResultTable& table : result.tables) {
    if (only_table.empty() || table.id == only_table) json["tables"][table.id] = ToJson(table);
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
  return JsonText(json);
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
