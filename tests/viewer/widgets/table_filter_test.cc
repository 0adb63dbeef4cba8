#include "viewer/widgets/table_filter.h"

#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "model/analysis/tables/json_stream.h"
#include "tests/support/table_rows.h"
#include "viewer/widgets/draw_text.h"

namespace stepscope {
namespace {

ResultTable Kernels() {
  ResultTable t;
  t.SetColumns({{"kernel_name", "Kernel", Unit::kNone, ValueType::kString, ""},
                {"op_name", "Op", Unit::kNone, ValueType::kString, ""},
                {"uses_tc", "Tensor Core", Unit::kNone, ValueType::kBool, ""},
                {"occurrences", "Count", Unit::kCount, ValueType::kInt, ""},
                {"total_us", "Total", Unit::kUs, ValueType::kReal, ""},
                {"avg_us", "Average", Unit::kUs, ValueType::kReal, ""},
                {"share", "Share", Unit::kFraction, ValueType::kReal, ""},
                {"bytes", "Memory", Unit::kBytes, ValueType::kInt, ""}});
  const auto row = [&](const char* k, const char* op, bool tc, int64_t n, double total,
                       double share, int64_t bytes) {
    t.AddRow({std::string(k), std::string(op), tc, n, total, total / static_cast<double>(n), share,
              bytes});
  };
  row("gemm<float>", "MatMul", true, 4, 400, 0.4, 4096);
  row("std::sort(int)", "Sort", false, 10, 50, 0.05, 0);
  row("relu kernel", "Relu", false, 100, 1500, 0.55, int64_t{3} << 20);
  return t;
}

std::vector<int> Hits(std::string_view text, int preferred = -1) {
  const ResultTable t = Kernels();
  const TableFilter f = TableFilter::Parse(text, t, preferred);
  std::vector<int> out;
  for (int r = 0; r < 3; ++r)
    if (f.Matches(t, static_cast<size_t>(r))) out.push_back(r);
  return out;
}

using V = std::vector<int>;

TEST_CASE("table filter: text in any column, case ignored, all terms must hold") {
  CHECK(Hits("") == V{0, 1, 2});
  CHECK(Hits("MATMUL") == V{0});
  CHECK(Hits("r kernel") == V{2});
  CHECK(Hits("\"relu kernel\"") == V{2});
  CHECK(Hits("-relu") == V{0, 1});
  CHECK(Hits("gemm relu").empty());
}

TEST_CASE("table filter: a whole text, letter for letter") {
  CHECK(Hits("=MatMul") == V{0});
  CHECK(Hits("=Mat").empty());
  CHECK(Hits("=matmul").empty());
  CHECK(Hits("op=Relu") == V{2});
  CHECK(Hits("kernel=Relu").empty());
  CHECK(Hits("op==Relu") == V{2});
  CHECK(Hits("op!=Relu") == V{0, 1});
  CHECK(Hits("-op=Relu") == V{0, 1});
  CHECK(Hits("kernel=\"relu kernel\"") == V{2});
  CHECK(Hits("kernel=std::sort(int)") == V{1});
  const ResultTable t = Kernels();
  CHECK(TableFilter::Parse("op=Relu", t).explanation() == "Op is \"Relu\"");
  CHECK(TableFilter::Parse("nothing=Relu", t).explanation() == "text has \"nothing=relu\"");
}

TEST_CASE("table filter: a column by id, label or part of it") {
  CHECK(Hits("op:sort") == V{1});
  CHECK(Hits("kernel:sort") == V{1});
  CHECK(Hits("tensorcore:yes") == V{0});
  CHECK(Hits("tensor_core:no") == V{1, 2});
}

TEST_CASE("table filter: comparisons, bare numbers in the column's unit, others converted") {
  CHECK(Hits("total>100") == V{0, 2});
  CHECK(Hits("total>1ms") == V{2});
  CHECK(Hits("average<=15us") == V{1, 2});
  CHECK(Hits("count=10") == V{1});
  CHECK(Hits("count!=10") == V{0, 2});
  CHECK(Hits("share>=5%") == V{0, 1, 2});
  CHECK(Hits("share>0.4") == V{2});
  CHECK(Hits("memory>1MiB") == V{2});
  CHECK(Hits("-total>100") == V{1});
}

TEST_CASE(
    "table filter: a comparison without a column is about the first of that kind, or the preferred "
    "one") {
  CHECK(Hits(">100us") == V{0, 2});    // total
  CHECK(Hits(">90us", 5) == V{0});     // average, when sorted by it
  CHECK(Hits(">90us", 3) == V{0, 2});  // a count is no time
  CHECK(Hits("<50%") == V{0, 1});
}

TEST_CASE(
    "table filter: an unknown column makes the term text, because names of kernels have ':' and "
    "'<'") {
  CHECK(Hits("std::sort") == V{1});
  CHECK(Hits("gemm<float") == V{0});
  CHECK(Hits("total>abc").empty());  // plain text, found nowhere
}

TEST_CASE("table filter: says how it understood the text") {
  const ResultTable t = Kernels();
  CHECK(TableFilter::Parse(">100us op:Mat", t).explanation() == "Total >100us and Op has \"mat\"");
}

TEST_CASE("table filter: a mangled name matches in both forms") {
  ResultTable t = Kernels();
  test::SetCell(&t, 1, 0, std::string("_ZSt4sortIiEvi"));
  t.readable = {SharedText(), SharedText("std::sort<int>"), SharedText()};
  t.readable_column = 0;
  const auto hits = [&t](std::string_view text) {
    const TableFilter f = TableFilter::Parse(text, t, -1);
    V out;
    for (int r = 0; r < 3; ++r)
      if (f.Matches(t, static_cast<size_t>(r))) out.push_back(r);
    return out;
  };
  CHECK(hits("st4sort") == V{1});
  CHECK(hits("sort<int>") == V{1});
  CHECK(hits("kernel:std::sort") == V{1});
  CHECK(hits("op:std::sort").empty());
  CHECK(hits("kernel=std::sort<int>") == V{1});
  CHECK(hits("kernel=_ZSt4sortIiEvi") == V{1});
  CHECK(hits("-sort<int>") == V{0, 2});
  CHECK(hits("-_zst4") == V{0, 2});
}

}  // namespace
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
