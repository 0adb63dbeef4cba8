#include "model/analysis/tables/json_stream.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/table_rows.h"

namespace stepscope {
namespace {

using Json = nlohmann::ordered_json;

// The table as a document made in memory, which the stream must equal byte for byte.
std::string Expected(const ResultTable& table) {
  Json rows = Json::array();
  for (const auto& row : test::RowsOf(table)) {
    Json object = Json::object();
    for (size_t c = 0; c < std::min(row.size(), table.columns.size()); ++c) {
      Json& cell = object[table.columns[c].id];
      if (const auto* s = std::get_if<SharedText>(&row[c])) cell = s->str();
      if (const auto* i = std::get_if<int64_t>(&row[c])) cell = *i;
      if (const auto* b = std::get_if<bool>(&row[c])) cell = *b;
      const auto* d = std::get_if<double>(&row[c]);
      if (d != nullptr && std::isfinite(*d)) cell = *d;
    }
    rows.push_back(std::move(object));
  }
  const Json columns = {{{"id", "name"}, {"label", "Name \"x\""}, {"unit", ""}, {"type", "string"}},
                        {{"id", "v"}, {"label", "V"}, {"unit", "us"}, {"type", "number"}},
                        {{"id", "n"}, {"label", "N"}, {"unit", ""}, {"type", "integer"}},
                        {{"id", "b"}, {"label", "B"}, {"unit", ""}, {"type", "boolean"}}};
  const Json json = {{"columns", columns}, {"rows", rows}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

ResultTable Table() {
  ResultTable table;
  table.SetColumns({{"name", "Name \"x\"", Unit::kNone, ValueType::kString, ""},
                    {"v", "V", Unit::kUs, ValueType::kReal, ""},
                    {"n", "N", Unit::kNone, ValueType::kInt, ""},
                    {"b", "B", Unit::kNone, ValueType::kBool, ""}});
  return table;
}

TEST_CASE("json stream: a table equals a document of it byte for byte") {
  ResultTable table = Table();
  CHECK(TableJson(table) == Expected(table));
  const double inf = std::numeric_limits<double>::infinity();
  for (double v :
       {0.0, -0.0, 1.0, 0.1 + 0.2, 1e-7, 1e22, -1.5e300, 5e-324, 100000.0, inf, std::nan("")}) {
    table.AddRow({"kernel", v});
  }
  for (const char* name : {"", "a\"b\\c", "line\nend\ttab\x01", "\x7f", "\u00b5s \u884c",
                           "bad \xff", "\xc2", "\xed\xa0\x80", "\u2028", "</script>"}) {
    table.AddRow({name, int64_t{-1} << 62});  // it becomes a real number
  }
  for (const int64_t n : {int64_t{0}, int64_t{-1} << 62, INT64_MAX})
    table.AddRow({Value(), Value(), n, n == 0});
  table.AddRow({});
  CHECK(TableJson(table) == Expected(table));
}

TEST_CASE("json stream: text is passed on in blocks, not as a whole") {
  ResultTable table = Table();
  for (int i = 0; i < 20'000; ++i) table.AddRow({"kernel_" + std::to_string(i), 0.5 * i});
  size_t pieces = 0, longest = 0, size = 0;
  JsonStream json([&](std::string_view piece) {
    ++pieces;
    longest = std::max(longest, piece.size());
    size += piece.size();
  });
  WriteTable(table, &json);
  json.Finish();
  CHECK(size == TableJson(table).size());
  CHECK(pieces > 10);
  CHECK(longest < 100'000);
}

TEST_CASE("json stream: empty objects and arrays, nested ones") {
  const std::string text = Collected([](const TextSink& sink) {
    JsonStream json(sink);
    json.BeginObject();
    json.Key("a");
    json.BeginObject();
    json.EndObject();
    json.Key("b");
    json.BeginArray();
    json.BeginArray();
    json.EndArray();
    json.Null();
    json.Uint(UINT64_MAX);
    json.EndArray();
    json.EndObject();
    json.Finish();
  });
  CHECK(text == Json::parse(text).dump(1, ' ') + "\n");
  CHECK(Json::parse(text) ==
        Json{{"a", Json::object()}, {"b", {Json::array(), nullptr, UINT64_MAX}}});
}

}  // namespace
}  // namespace stepscope
