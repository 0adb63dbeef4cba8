#include "viewer/widgets/table_filter.h"

#include <doctest/doctest.h>

#include "tests/support/table_rows.h"

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
}  // namespace stepscope
