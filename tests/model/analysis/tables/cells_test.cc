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

TEST_CASE("cells: what is not there is 0 or empty") {
  ResultTable table;
  table.SetColumns({{"name", "Name", Unit::kNone, ValueType::kString, ""},
                    {"count", "Count", Unit::kCount, ValueType::kInt, ""}});
  table.AddRow({SharedText("relu"), int64_t{3}});
  table.AddRow({});
  CHECK(NumberAt(table, 0, "count") == 3);
  CHECK(NumberAt(table, 1, "count") == 0);
  CHECK(NumberAt(table, 0, "none") == 0);
  CHECK(TextAt(table, 0, "name") == "relu");
  CHECK(TextAt(table, 1, "name").empty());
  CHECK(TextAt(table, 0, "none").empty());
  CHECK(TextAt(table, 0, -1).empty());
  CHECK(TextAt(table, 0, "count").empty());
  CHECK(NumberAt(table, 0, "name") == 0);
}

}  // namespace
}  // namespace stepscope
