#include <doctest/doctest.h>

#include <functional>

#include "tests/viewer/drawn_text.h"
#include "tests/viewer/panel_fixture.h"
#include "viewer/core/panel.h"
#include "viewer/panels/analysis_panel.h"

namespace stepscope {
namespace {

ResultTable Ops(const char* id, bool idle) {
  ResultTable t{id,
                id,
                {{"rank", "#", Unit::kNone, ValueType::kInt, ""},
                 {"host_or_device", "Side", Unit::kNone, ValueType::kString, ""},
                 {"type", "Type", Unit::kNone, ValueType::kString, ""},
                 {"operation", "Operation", Unit::kNone, ValueType::kString, ""},
                 {"occurrences", "Count", Unit::kCount, ValueType::kInt, ""},
                 {"total_self_time", "Self time", Unit::kUs, ValueType::kReal, ""}}};
  const auto add = [&](const char* side, const char* type, const char* op, double self) {
    t.AddRow({static_cast<int64_t>(t.size() + 1), std::string(side), std::string(type),
              std::string(op), int64_t{1}, self});
  };
  add("Device", "MatMul", "a/MatMul", 70);
  add("Device", "Relu", "a/Relu", 30);
  add("Host", "Dataset", "Iterator::Map", 10);
  if (idle) add("Host", "IDLE", "IDLE", 1000);
  return t;
}

TEST_CASE("ops: draws both sides with rings and table at every size, and with nothing") {
  AnalysisResult r;
  r.tables.push_back(Ops("ops", false));
  r.tables.push_back(Ops("ops_with_idle", true));
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
  AnalysisResult r;
  ResultTable ops = Ops("ops", false);
  ops.AddRow({int64_t{4}, std::string("Device"), std::string("MatMul"), std::string("b/MatMul"),
              int64_t{2}, 50.0});
  r.tables.push_back(ops);
  r.tables.push_back(ops);
  r.tables.back().id = "ops_with_idle";
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
