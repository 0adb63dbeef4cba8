#include <doctest/doctest.h>

#include <functional>
#include <utility>
#include <vector>

#include "model/analysis/analysis.h"
#include "tests/support/loaded.h"
#include "tests/support/xspace_builder.h"
#include "tests/viewer/drawn_text.h"
#include "tests/viewer/panel_fixture.h"
#include "viewer/core/panel.h"
#include "viewer/panels/analysis_panel.h"

namespace stepscope {
namespace {

// A result of the ops of a GPU, with their self times in us, and of one op of the host.
AnalysisResult OpsOf(const std::vector<std::pair<const char*, int64_t>>& on_device) {
  test::XSpaceBuilder space;
  test::LineBuilder& stream = space.Plane("/device:GPU:0").Line(1, "Stream #1(Compute)");
  int64_t at = 0;
  for (const auto& [op, us] : on_device) {
    stream.Event("kernel", at * kPsPerUs, us * kPsPerUs).Stat("tf_op", op);
    at += us;
  }
  space.Plane("/host:CPU").Line(1, "t").Event("Iterator::Map:Dataset", 0, 10 * kPsPerUs);
  AnalysisContext context(test::Loaded("host.xplane.pb", space.Bytes()), Definitions::kStepscope);
  return RunAnalysis(*FindAnalysis("op_stats"), context, {});
}

TEST_CASE("ops: draws both sides with rings and table at every size, and with nothing") {
  const AnalysisResult r = OpsOf({{"a/MatMul:MatMul", 70}, {"a/Relu:Relu", 30}});
  for (const ImVec2 size :
       {ImVec2(420, 260), ImVec2(900, 300), ImVec2(700, 900), ImVec2(2560, 1440)}) {
    PanelFixture f(size);
    const auto panel = FindPanel("op_stats")->create();
    auto& ops = static_cast<AnalysisPanel&>(*panel);
    int vertices = 0;
    for (int i = 0; i < 3; ++i)
      vertices = f.Frame([&](const PanelContext& c) { ops.DrawResult(c, r, 1); });
    CHECK(vertices > 100);
    const AnalysisResult none;
    CHECK(f.Frame([&](const PanelContext& c) { ops.DrawResult(c, none, 2); }) < vertices);
  }
}

TEST_CASE("ops: types come before their ops, and rings say which colour is which") {
  const AnalysisResult r =
      OpsOf({{"a/MatMul:MatMul", 70}, {"a/Relu:Relu", 30}, {"b/MatMul:MatMul", 50}});
  PanelFixture f(ImVec2(880, 270));  // the panels of a window of 1280 x 800
  const auto panel = FindPanel("op_stats")->create();
  auto& page = static_cast<AnalysisPanel&>(*panel);
  const std::function<void(const PanelContext&)> draw = [&](const PanelContext& c) {
    page.DrawResult(c, r, 1);
  };
  const DrawnText types = DrawCalm(f, draw);
  {
    CAPTURE(types.All());
    CHECK(types.Has("3 types"));
    CHECK_FALSE(types.Has("a/MatMul"));
    CHECK(types.Has("80.0 %"));  // in the legend and in the table: 120 of 150 us
    size_t names = 0;
    for (const TextPiece& piece : types.pieces()) names += piece.text == "MatMul" ? 1 : 0;
    CHECK(names == 2);
  }
  const ImVec2 by_op = types.At("By op").middle();
  f.Click(by_op.x, by_op.y, draw);
  const DrawnText listed = DrawCalm(f, draw);
  CAPTURE(listed.All());
  CHECK(listed.Has("4 ops"));
}

}  // namespace
}  // namespace stepscope
