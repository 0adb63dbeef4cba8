#include "viewer/widgets/table_order.h"

#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "model/analysis/tables/json_stream.h"
#include "tests/support/table_rows.h"
#include "viewer/widgets/draw_text.h"

namespace stepscope {
namespace {

ResultTable Sample() {
  ResultTable t;
  t.id = "sample";
  t.SetColumns({{"name", "Name", Unit::kNone, ValueType::kString, ""},
                {"total_us", "Total", Unit::kUs, ValueType::kReal, ""},
                {"count", "Count", Unit::kCount, ValueType::kInt, ""}});
  test::SetRows(&t, {{std::string("b"), 2.5, int64_t{1}},
                     {std::string("a"), 2.5, int64_t{2}},
                     {std::string("c"), Value{}, int64_t{2}},
                     {std::string("d,\"x\""), 0.1, int64_t{1}}});
  return t;
}

using Order = std::vector<uint32_t>;

Order Sorted(std::vector<SortKey> keys, std::string_view filter = {}) {
  const ResultTable t = Sample();
  return MakeOrder(t, TableFilter::Parse(filter, t), keys);
}

TEST_CASE("table order: no keys keep the data's order") { CHECK(Sorted({}) == Order{0, 1, 2, 3}); }

TEST_CASE(
    "table order: ties keep the data's order in both directions, missing values come last in "
    "both") {
  CHECK(Sorted({{1, false}}) == Order{3, 0, 1, 2});
  CHECK(Sorted({{1, true}}) == Order{0, 1, 3, 2});
}

TEST_CASE("table order: several keys") {
  CHECK(Sorted({{2, true}, {0, false}}) == Order{1, 2, 0, 3});
  CHECK(Sorted({{2, false}, {0, true}}) == Order{3, 0, 2, 1});
}

TEST_CASE("table order: filters first") { CHECK(Sorted({{0, true}}, "total>1") == Order{0, 1}); }

TEST_CASE("table order: keys of columns that are gone are ignored") {
  CHECK(Sorted({{9, true}}) == Order{0, 1, 2, 3});
}

TEST_CASE("table export: all of it is what the report writes") {
  const ResultTable t = Sample();
  const Order all{0, 1, 2, 3};
  const std::vector<int> columns{0, 1, 2};
  CHECK(ToCsv(ShownPart(t, all, columns)) == ToCsv(t));
}

TEST_CASE("table export: shown rows and columns only, as JSON too") {
  const ResultTable t = Sample();
  const Order two{3, 2};
  const std::vector<int> columns{0, 1};
  CHECK(ToCsv(ShownPart(t, two, columns)) == "name,total_us\r\n\"d,\"\"x\"\"\",0.1\r\nc,\r\n");
  const auto json = nlohmann::json::parse(TableJson(ShownPart(t, two, columns)));
  CHECK(json["columns"][1]["unit"] == "us");
  CHECK(json["rows"].size() == 2);
  CHECK(json["rows"][0]["name"] == "d,\"x\"");
  CHECK(json["rows"][0]["total_us"] == 0.1);
  CHECK(json["rows"][1]["total_us"].is_null());
}

TEST_CASE("table export: names that are not UTF-8 still make valid JSON") {
  ResultTable t = Sample();
  test::SetCell(&t, 0, 0, std::string("bad\xff"));
  CHECK(nlohmann::json::accept(TableJson(t)));
}

TEST_CASE("tsv: tabs and line ends cannot break cells") {
  ResultTable t = Sample();
  test::SetCell(&t, 0, 0, std::string("x\ty\nz"));
  CHECK(ToTsv(t, std::vector<uint32_t>{0}, std::vector<int>{0, 2}) == "x y z\t1\n");
}

TEST_CASE("additive columns are sums, not averages or ranks") {
  const auto additive = [](const char* id) {
    return IsAdditive({id, id, Unit::kUs, ValueType::kReal, ""});
  };
  CHECK(additive("total_duration_us"));
  CHECK(additive("occurrences"));
  CHECK(additive("share"));
  CHECK(additive("total_bytes"));
  CHECK_FALSE(additive("avg_self_time"));
  CHECK_FALSE(additive("rank"));
  CHECK_FALSE(additive("device_cumulative_total_self_time_percent"));
  CHECK_FALSE(additive("min_duration_us"));
  CHECK_FALSE(additive("peak_bytes_in_use"));
  CHECK_FALSE(additive("allocation_bytes"));  // the size of one allocation
}

TEST_CASE("numbers: one unit for a column, thin spaces, no digits that say nothing") {
  const auto text = [](double v, Unit unit, double max, ValueType type = ValueType::kReal) {
    const NumberFormat f = FormatFor(unit, type, max);
    return NumberText(v, f) + "|" + f.header;
  };
  CHECK(text(11913.3, Unit::kUs, 11913.3) == "11\u2009913.3|\u00b5s");
  CHECK(text(2.5, Unit::kUs, 11913.3) == "2.5|\u00b5s");
  CHECK(text(5e6, Unit::kUs, 5e6) == "5\u2009000.0|ms");
  CHECK(text(7.8123, Unit::kMs, 7.8) == "7.812|ms");
  CHECK(text(0.212, Unit::kFraction, 0.3) == "21.2 %|");
  CHECK(text(1048576, Unit::kBytes, 3145728, ValueType::kInt) == "1.000|MiB");
  CHECK(text(-1234567, Unit::kCount, 1234567, ValueType::kInt) == "-1\u2009234\u2009567|");
  CHECK(text(std::nan(""), Unit::kUs, 1).starts_with("\u2013"));
}

}  // namespace
}  // namespace stepscope
