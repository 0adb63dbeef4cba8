// A table as JSON, the same for what a panel exports and for `report --format json`. Here and not
// in the model, which knows no JSON library.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "model/analysis/result_table.h"

namespace stepscope {

// Unrounded; a number that is none, and a missing value, is null.
nlohmann::ordered_json ToJson(const Value& value);
// {"columns": [{"id", "label", "unit", "type"}], "rows": [{column id: value}]}
nlohmann::ordered_json ToJson(const ResultTable& table);
// Names in a profile need not be UTF-8: bytes that are not become replacement characters.
std::string JsonText(const nlohmann::ordered_json& json);

}  // namespace stepscope
