#include "viewer/widgets/table_json.h"

#include <algorithm>
#include <cmath>

#include "model/analysis/names.h"

namespace stepscope {

using Json = nlohmann::ordered_json;

Json ToJson(const Value& value) {
  if (const auto* s = std::get_if<std::string>(&value)) return *s;
  if (const auto* i = std::get_if<int64_t>(&value)) return *i;
  if (const auto* d = std::get_if<double>(&value)) return std::isfinite(*d) ? Json(*d) : Json();
  if (const auto* b = std::get_if<bool>(&value)) return *b;
  return nullptr;
}

Json ToJson(const ResultTable& table) {
  Json columns = Json::array(), rows = Json::array();
  for (const ColumnDesc& c : table.columns) {
    columns.push_back(
        {{"id", c.id}, {"label", c.label}, {"unit", UnitName(c.unit)}, {"type", TypeName(c.type)}});
  }
  for (const auto& row : table.rows) {
    Json object = Json::object();
    for (size_t c = 0; c < std::min(row.size(), table.columns.size()); ++c)
      object[table.columns[c].id] = ToJson(row[c]);
    rows.push_back(std::move(object));
  }
  Json json;
  json["columns"] = std::move(columns);
  json["rows"] = std::move(rows);
  return json;
}

std::string JsonText(const Json& json) {
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace stepscope
