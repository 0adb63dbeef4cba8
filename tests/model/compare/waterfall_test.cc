// The way from A's step to B's, as bars that add up exactly.
#include "model/compare/waterfall.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <memory>

#include "model/compare/compare.h"
#include "tests/support/gpu_profile.h"
#include "tests/support/table_cells.h"

namespace stepscope::compare {
namespace {

using Kind = WaterfallBar::Kind;

struct Row {
  WorkKind kind;
  const char* name;
  double change;  // ms
};

AnalysisResult Comparison(double a, double b, const std::vector<Row>& rows) {
  auto found = std::make_shared<StepComparison>();
  found->change.a.median = a, found->change.b.median = b;
  for (const Row& row : rows) {
    Contribution& c = found->found.rows.emplace_back();
    c.kind = row.kind, c.loss = StepTimeClass::kSync, c.name = row.name;
    c.b = row.change * static_cast<double>(kPsPerMs);
  }
  AnalysisResult result;
  result.SetSource<StepComparison>(std::move(found));
  return result;
}

// Every change begins where the bar before it ends, and the last one ends at B.
void CheckSums(const Waterfall& waterfall, int64_t a, int64_t b) {
  REQUIRE(waterfall.bars.size() >= 2);
  CHECK(waterfall.bars.front().kind == Kind::kA);
  CHECK(waterfall.bars.front().to == a);
  CHECK(waterfall.bars.back().kind == Kind::kB);
  CHECK(waterfall.bars.back().to == b);
  int64_t sum = 0, level = a;
  for (size_t i = 1; i + 1 < waterfall.bars.size(); ++i) {
    const WaterfallBar& bar = waterfall.bars[i];
    CHECK_FALSE(bar.total());
    CHECK(bar.from == level);
    level = bar.to;
    sum += bar.change();
  }
  CHECK(sum == b - a);
  for (const WaterfallBar& bar : waterfall.bars) {
    CHECK(bar.to >= waterfall.low);
    CHECK(bar.to <= waterfall.high);
  }
}

TEST_CASE("waterfall: rows, largest first, then the smaller ones, then what nothing explains") {
  std::vector<Row> rows{{WorkKind::kOp, "matmul", 3},
                        {WorkKind::kIdle, "cudaStreamSynchronize", -1}};
  rows.push_back({WorkKind::kKernel, "_Z3addPf", 0.05});  // below a fiftieth of the largest
  rows.push_back({WorkKind::kKernel, "relu", -0.04});
  const Waterfall w = WaterfallOf(Comparison(10, 12.5, rows));
  CheckSums(w, 10 * kPsPerMs, 12 * kPsPerMs + kPsPerMs / 2);
  REQUIRE(w.bars.size() == 6);
  CHECK(w.bars[1].label == "matmul");
  CHECK(w.bars[1].change() == 3 * kPsPerMs);
  CHECK(w.bars[2].label == "Synchronisation: cudaStreamSynchronize");
  CHECK(w.bars[2].change() == -kPsPerMs);
  CHECK(w.bars[3].kind == Kind::kSmaller);
  CHECK(w.bars[3].label == "2 smaller changes");
  CHECK(w.bars[3].change() == kPsPerMs / 100);
  CHECK(w.bars[3].first_row == 2);
  CHECK(w.bars[3].rows == 2);
  CHECK(w.bars[4].kind == Kind::kRest);
  CHECK(w.bars[4].change() == kPsPerMs / 2 - kPsPerMs / 100);
  CHECK(w.table == "contributions");
}

TEST_CASE("waterfall: a single small row has a bar of its own, and names are readable") {
  const Waterfall w = WaterfallOf(
      Comparison(10, 13.05, {{WorkKind::kOp, "matmul", 3}, {WorkKind::kKernel, "_Z3addPf", 0.05}}));
  CheckSums(w, 10 * kPsPerMs, 13 * kPsPerMs + kPsPerMs / 20);
  REQUIRE(w.bars.size() == 4);
  CHECK(w.bars[2].kind == Kind::kChange);
  CHECK(w.bars[2].label == "add");
}

TEST_CASE("waterfall: no more rows have bars than are asked for") {
  std::vector<Row> rows(30, {WorkKind::kOp, "conv", 0.1});
  const Waterfall w = WaterfallOf(Comparison(10, 13, rows), 5);
  CheckSums(w, 10 * kPsPerMs, 13 * kPsPerMs);
  REQUIRE(w.bars.size() == 8);  // no rest: rounding is no change
  CHECK(w.bars[6].label == "25 smaller changes");
  CHECK(w.bars[6].first_row == 5);
}

TEST_CASE("waterfall: without contributions all of the change is the rest") {
  const Waterfall w = WaterfallOf(Comparison(10, 12, {}));
  CheckSums(w, 10 * kPsPerMs, 12 * kPsPerMs);
  CHECK(w.bars.size() == 3);
  CHECK(WaterfallOf(Comparison(10, 10, {})).bars.size() == 2);
}

TEST_CASE("waterfall: an axis that begins at zero unless the changes would be slivers") {
  CHECK(WaterfallOf(Comparison(10, 15, {{WorkKind::kOp, "a", 5}})).low == 0);
  CHECK(WaterfallOf(Comparison(0, 5, {{WorkKind::kOp, "a", 5}})).low == 0);
  const Waterfall small = WaterfallOf(Comparison(100, 101, {{WorkKind::kOp, "a", 1}}));
  CHECK(small.low > 99 * kPsPerMs);
  CHECK(small.low < 100 * kPsPerMs);
  const Waterfall below =
      WaterfallOf(Comparison(10, 1, {{WorkKind::kOp, "a", -12}, {WorkKind::kOp, "b", 3}}));
  CheckSums(below, 10 * kPsPerMs, kPsPerMs);
  CHECK(below.low == -2 * kPsPerMs);
}

TEST_CASE("waterfall: numbers that no profile has do no harm") {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Waterfall w =
      WaterfallOf(Comparison(kInf, nan, {{WorkKind::kOp, "a", -kInf}, {WorkKind::kOp, "b", nan}}));
  CHECK(w.bars.front().to > 0);
  CHECK(w.bars.back().to == 0);
  CHECK(w.low < w.high);
  CHECK(WaterfallOf({}).bars.empty());
}

TEST_CASE("waterfall: the bars of compared profiles add up to the difference of their steps") {
  test::GpuProfileOptions a, b;
  a.layers = b.layers = 30;
  b.slower_op = "conv";
  b.slower_factor = 1.2;
  const auto context = [](const test::GpuProfileOptions& options) {
    return AnalysisContext(*LoadBytes("h.xplane.pb", test::MakeGpuProfile(options), {}),
                           Definitions::kStepscope);
  };
  AnalysisContext of_a = context(a), of_b = context(b);
  const AnalysisResult result = CompareProfiles(of_a, of_b, {});
  const auto ps = [&](const char* id) {
    return std::llround(test::PropertyReal(result, id) * static_cast<double>(kPsPerMs));
  };
  CheckSums(WaterfallOf(result), ps("step_ms_a"), ps("step_ms_b"));
}

TEST_CASE("waterfall: SVG has a bar for each row, and says where its axis begins; CSV has all") {
  const Waterfall w =
      WaterfallOf(Comparison(100, 101, {{WorkKind::kOp, "<a>", 3}, {WorkKind::kOp, "b", -2}}));
  WaterfallColors colors{"#111111", "#222222", "#333333", "#aa0000", "#0000aa", "#555555", ""};
  const std::string inside = ToSvg(w, colors);
  CHECK(inside.find("&lt;a&gt;: +3.000 ms</title>") != std::string::npos);
  CHECK(inside.find("b: -2.000 ms</title>") != std::string::npos);
  CHECK(inside.find("#aa0000") != std::string::npos);
  CHECK(inside.find("#0000aa") != std::string::npos);
  CHECK(inside.find("The axis begins at ") != std::string::npos);
  CHECK(inside.find("http") == std::string::npos);
  colors.background = "#ffffff";
  CHECK(ToSvg(w, colors).find("xmlns=\"http://www.w3.org/2000/svg\"") != std::string::npos);
  CHECK(ToCsv(w) ==
        "what,from (ms),to (ms),change (ms)\r\nA's step,0,100,100\r\n<a>,100,103,3\r\n"
        "b,103,101,-2\r\nB's step,0,101,101\r\n");
}

TEST_CASE("waterfall: two memory snapshots lead from peak to peak") {
  auto found = std::make_shared<SnapshotComparison>();
  found->peak_a = 1000, found->peak_b = 1500;
  found->at_peak = {{{"train.py:8 f"}, "", {}, {600, 1, {}}}, {{""}, "", {100, 1, {}}, {}}};
  AnalysisResult result;
  result.SetSource<SnapshotComparison>(std::move(found));
  const Waterfall w = WaterfallOf(result);
  CheckSums(w, 1000, 1500);
  CHECK(w.unit == Unit::kBytes);
  CHECK(w.bars[2].label == "(no name)");
}

}  // namespace
}  // namespace stepscope::compare
