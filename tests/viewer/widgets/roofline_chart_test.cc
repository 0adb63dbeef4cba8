#include "viewer/widgets/roofline_chart.h"

#include <doctest/doctest.h>
#include <implot_internal.h>

#include <limits>
#include <string>
#include <vector>

#include "tests/viewer/drawn_text.h"

namespace stepscope {
namespace {

std::vector<GroupedPoint> Ops() {
  const auto point = [](double intensity, double gflops, double time, uint32_t row) {
    return RooflinePoint{.intensity = intensity, .gflops = gflops, .time = time, .row = row};
  };
  return {{point(2, 20, 1, 0), "small"},
          {point(100, 900, 50, 1), "large"},
          {point(0, 0, 9, 2), "copy"},
          {point(50, 500, 60, 3), "all"}};
}

TEST_CASE("a roofline has a point for each row with operations and bytes, the longest first") {
  const RooflineData data = MakeRoofline(Ops());
  REQUIRE(data.points.size() == 3);
  CHECK(data.left_out == 1);
  CHECK(data.points[0].row == 3);
  CHECK(data.groups == std::vector<std::string>{"all", "large", "small"});
  CHECK(data.groups[data.points[1].group] == "large");
  CHECK(ToCsv(data).starts_with("flop_per_byte,gflop_per_s,time,group\r\n50,500,60,all\r\n"));
}

TEST_CASE("sums have no group; groups beyond the eighth share one; infinite rates give no point") {
  std::vector<GroupedPoint> ops = Ops();
  ops[3].point.ring = true;
  RooflineData data = MakeRoofline(ops);
  CHECK(data.points[0].ring);
  CHECK(data.groups == std::vector<std::string>{"large", "small"});
  ops = Ops();
  std::vector<std::string> names;
  for (int i = 0; i < 20; ++i) names.push_back("k" + std::to_string(i));
  for (const std::string& name : names) ops.push_back({{1, 1, 0.5}, name});
  data = MakeRoofline(ops);
  CHECK(data.groups.size() == 8);
  CHECK(data.groups.back() == "others");
  CHECK(data.points.back().group == 7);
  const double infinity = std::numeric_limits<double>::infinity();
  const GroupedPoint endless{{1, infinity, 0.5}, "endless"};
  CHECK(MakeRoofline({&endless, 1}).points.empty());
}

TEST_CASE("a click on a point tells its row; roofs are named") {
  PanelFixture f;
  RooflineData data = MakeRoofline(Ops());
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
