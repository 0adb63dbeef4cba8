#include "viewer/widgets/roofline_chart.h"

#include <doctest/doctest.h>
#include <implot_internal.h>

#include "tests/viewer/drawn_text.h"

namespace stepscope {
namespace {

// Any table will do: these are the names of another analysis.
const RooflineColumns kColumns{"ai", "rate", "us", "kind"};

ResultTable Ops() {
  ResultTable t{"ops",
                "",
                {{"kind", "Kind", Unit::kNone, ValueType::kString, ""},
                 {"ai", "FLOP/byte", Unit::kNone, ValueType::kReal, ""},
                 {"rate", "GFLOP/s", Unit::kGflops, ValueType::kReal, ""},
                 {"us", "Time", Unit::kUs, ValueType::kReal, ""}}};
  t.AddRow({std::string("small"), 2.0, 20.0, 1.0});
  t.AddRow({std::string("large"), 100.0, 900.0, 50.0});
  t.AddRow({std::string("copy"), 0.0, 0.0, 9.0});
  t.AddRow({std::string("all"), 50.0, 500.0, 60.0});
  return t;
}

TEST_CASE("a roofline has a point for each row with operations and bytes, the longest first") {
  const RooflineData data = MakeRoofline(Ops(), kColumns);
  REQUIRE(data.points.size() == 3);
  CHECK(data.left_out == 1);
  CHECK(data.points[0].row == 3);
  CHECK(data.groups == std::vector<std::string>{"all", "large", "small"});
  CHECK(data.groups[data.points[1].group] == "large");
  CHECK(ToCsv(data).starts_with("flop_per_byte,gflop_per_s,time,group\r\n50,500,60,all\r\n"));
}

TEST_CASE("sums have no group; groups beyond the eighth share one; unknown columns give no point") {
  ResultTable t = Ops();
  RooflineColumns columns = kColumns;
  columns.is_sum = [](const ResultTable&, size_t row) { return row == 3; };
  RooflineData data = MakeRoofline(t, columns);
  CHECK(data.points[0].ring);
  CHECK(data.groups == std::vector<std::string>{"large", "small"});
  for (int i = 0; i < 20; ++i) t.AddRow({"k" + std::to_string(i), 1.0, 1.0, 0.5});
  data = MakeRoofline(t, kColumns);
  CHECK(data.groups.size() == 8);
  CHECK(data.groups.back() == "others");
  CHECK(data.points.back().group == 7);
  CHECK(MakeRoofline(t, {"no", "such", "column", "kind"}).points.empty());
}

TEST_CASE("a click on a point tells its row; roofs are named") {
  PanelFixture f;
  RooflineData data = MakeRoofline(Ops(), kColumns);
  data.roofs = {{"1 TFLOP/s", 0, 1000}, {"Main memory", 10, 1000}};
  RooflineChart chart;
  int clicked = -1;
  const auto draw = [&](const PanelContext& c) {
    const int now = chart.Draw(
        c, data, 1, -1, {}, [](uint32_t) { return std::string("tip"); }, ImVec2(1000, 600));
    if (now >= 0) clicked = now;
  };
  const DrawnText text = DrawCalm(f, draw);
  CHECK(text.Has("1 TFLOP/s"));
  CHECK(text.Has("Main memory"));
  CHECK(text.Has("large"));
  ImPlotPlot& plot = *ImPlot::GetCurrentContext()->Plots.GetByIndex(0);
  f.Click(plot.XAxis(0).PlotToPixels(100), plot.YAxis(0).PlotToPixels(900), draw);
  CHECK(clicked == 1);
}

}  // namespace
}  // namespace stepscope
