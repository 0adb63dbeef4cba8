// The heat map: which cell is under the mouse, and what its scale says.
#include "viewer/widgets/heat_map.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>

#include "tests/viewer/drawn_text.h"
#include "tests/viewer/panel_fixture.h"

namespace stepscope {
namespace {

HeatMapData Map(size_t rows, size_t columns) {
  HeatMapData data;
  for (size_t r = 0; r < rows; ++r) data.rows.push_back("row " + std::to_string(r));
  for (size_t c = 0; c < columns; ++c) data.columns.push_back(std::to_string(c));
  data.values.assign(rows * columns, std::numeric_limits<double>::quiet_NaN());
  data.values[0] = data.most = 3;
  data.unit_text = "3 ms";
  return data;
}

TEST_CASE("heat map: the cell under the mouse, and a click on it") {
  PanelFixture f;
  const HeatMapData data = Map(3, 4);
  HeatMapAnswer answer, clicked;
  const auto draw = [&](const PanelContext& context) {
    answer = DrawHeatMap(context, data, "step");
    if (answer.clicked) clicked = answer;
  };
  const DrawnText text = DrawCalm(f, draw);
  CAPTURE(text.All());
  CHECK(text.Has("steps 0 to 3"));
  CHECK(text.Has("3 ms"));
  const float left = text.At("steps 0 to 3").min.x, y = text.At("row 1").middle().y;
  const float width = 1280 - left;
  f.Click(left + width * 0.6f, y, draw);
  REQUIRE(clicked.clicked);
  CHECK(clicked.cell == HeatCell{1, 2});
  f.Click(left - 4, y, draw);  // on the label
  CHECK_FALSE(answer.hovered);
}

TEST_CASE("heat map: without a largest value there is no scale") {
  PanelFixture f;
  HeatMapData data = Map(3, 4);
  const auto draw = [&](const PanelContext& context) { DrawHeatMap(context, data, "step"); };
  CHECK(DrawCalm(f, draw).Has("3 ms"));
  const auto with_scale = f.Frame(draw);
  data.values[0] = data.most = 0;
  data.unit_text = "3 ms";
  constexpr int kLeastSteps = 20;  // of colours
  CHECK(f.Frame(draw) + 4 * kLeastSteps < with_scale);
  data.unit_text = "none is late";
  CHECK(DrawCalm(f, draw).Has("none is late"));
}

TEST_CASE("heat map: more rows and columns than pixels") {
  PanelFixture f(ImVec2(400, 300));
  const HeatMapData data = Map(1'000, 2'000);
  const auto draw = [&](const PanelContext& context) { DrawHeatMap(context, data, "step"); };
  CHECK(DrawCalm(f, draw).Has("steps 0 to 1999"));
  CHECK(f.Frame([&](const PanelContext& context) {
    CHECK(HeatMapHeight(data, 200) <= 200);
    draw(context);
  }) > 0);
}

TEST_CASE("heat map: without rows or columns nothing is drawn") {
  PanelFixture f;
  HeatMapAnswer answer;
  f.Frame([&](const PanelContext& context) { answer = DrawHeatMap(context, {}, "step"); });
  CHECK_FALSE(answer.hovered);
}

TEST_CASE("heat map: rows lower than a pixel share it, and the largest value is pointed at") {
  PanelFixture f;
  HeatMapData data = Map(4096, 200);
  for (double& value : data.values) value = 0;
  data.most = 3;
  std::fill_n(data.values.begin() + 2051 * 200, 200, 3.0);
  HeatMapAnswer answer;
  const auto draw = [&](const PanelContext& context) {
    answer = DrawHeatMap(context, data, "step");
  };
  const DrawnText text = DrawCalm(f, draw);
  const float left = text.At("steps 0 to 199").min.x, bottom = text.At("steps 0 to 199").min.y;
  const float top = text.At("row 0").min.y, height = bottom - top;
  bool found = false;
  for (float y = -8; y <= 4 && !found; ++y) {
    f.Click(left + (1280 - left) * 0.5025f, top + height * 2051 / 4096 + y, draw);
    found = answer.cell.row == 2051;
  }
  CHECK(found);
}

TEST_CASE("heat map: what is drawn for thousands of ranks does not grow with them") {
  PanelFixture f;
  const auto vertices = [&](size_t ranks) {
    HeatMapData data = Map(ranks, 200);
    for (size_t i = 0; i < data.values.size(); ++i)
      data.values[i] = static_cast<double>(i * 7919 % 1000);
    data.most = 1000;
    const auto draw = [&](const PanelContext& context) { DrawHeatMap(context, data, "step"); };
    DrawCalm(f, draw);
    return f.Frame(draw);
  };
  const int some = vertices(4096);
  CHECK(some > 4 * 200);
  CHECK(vertices(16384) < some * 11 / 10);
}

}  // namespace
}  // namespace stepscope
