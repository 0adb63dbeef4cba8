// Cells of tables as numbers and texts.
#include "model/analysis/tables/cells.h"

#include <doctest/doctest.h>

#include <cmath>

namespace stepscope {
namespace {

TEST_CASE("cells: a number is a number whatever its type, and nothing else is one") {
  CHECK(NumberOf(Value(1.5)) == 1.5);
  CHECK(NumberOf(Value(int64_t{7})) == 7);
  CHECK(NumberOf(Value(true)) == 1);
  CHECK(std::isnan(NumberOf(Value())));
  CHECK(std::isnan(NumberOf(Value(SharedText("7")))));
}

TEST_CASE("cells: only a bool that is true is true") {
  const std::vector<Value> row = {true, false, int64_t{1}, Value()};
  CHECK(TrueAt(row, 0));
  for (const int column : {1, 2, 3, 4, -1}) CHECK_FALSE(TrueAt(row, column));
}

TEST_CASE("cells: what is not there is 0 or empty") {
  ResultTable table;
  for (const char* id : {"name", "count"}) table.columns.emplace_back().id = id;
  table.rows = {{SharedText("relu"), int64_t{3}}, {Value(), SharedText("many")}};
  CHECK(NumberAt(table, 0, "count") == 3);
  CHECK(NumberAt(table, 1, "count") == 0);
  CHECK(NumberAt(table, 0, "none") == 0);
  CHECK(TextAt(table, 0, "name") == "relu");
  CHECK(TextAt(table, 1, "name").empty());
  CHECK(TextAt(table, 0, "none").empty());
  CHECK(TextAt(table.rows[0], 9).empty());
}

}  // namespace
}  // namespace stepscope
