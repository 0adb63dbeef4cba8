#include <doctest/doctest.h>

#include "model/analysis/pages/input_pipeline.h"
#include "tests/support/table_rows.h"
#include "tests/viewer/panel_fixture.h"
#include "tests/viewer/sample_results.h"
#include "viewer/core/panel.h"
#include "viewer/panels/analysis_panel.h"

namespace stepscope {
namespace {

AnalysisResult SampleInput() {
  AnalysisResult r;
  ResultTable ops = test::TableWith(
      "host_ops", "Input ops",
      {{"opName", "Operation", Unit::kNone, ValueType::kString, ""},
       {"count", "Count", Unit::kCount, ValueType::kInt, ""},
       {"selfTimeInMs", "Self time", Unit::kMs, ValueType::kReal, ""},
       {"category", "Category", Unit::kNone, ValueType::kString, ""}},
      {{std::string("Iterator::Map"), int64_t{4}, 12.5, std::string("Preprocessing")},
       {std::string("Iterator::TFRecord"), int64_t{2}, 1.5, std::string("Demanded file read")}});
  r.tables.push_back(std::move(ops));
  InputPipeline input;
  input.as_xprof = true;
  input.steps = SampleSteps(8, 3);
  input.ops.resize(2);
  input.demanded_us = 1500, input.preprocessing_us = 12500;
  r.SetSource(std::make_shared<const InputPipeline>(std::move(input)));
  return r;
}

TEST_CASE(
    "input pipeline: draws with steps and ops, with neither, at every size; a step is a link") {
  for (const ImVec2 size : {ImVec2(400, 300), ImVec2(1280, 800), ImVec2(2560, 1440)}) {
    PanelFixture f(size);
    const auto panel = FindPanel("input_pipeline")->create();
    auto& input = static_cast<AnalysisPanel&>(*panel);
    const AnalysisResult full = SampleInput();
    int vertices = 0;
    for (int i = 0; i < 3; ++i)
      vertices = f.Frame([&](const PanelContext& c) { input.DrawResult(c, full, 1); });
    AnalysisResult none;
    InputPipeline without;
    without.steps = std::make_shared<const StepDatabase>();
    none.SetSource(std::make_shared<const InputPipeline>(std::move(without)));
    const int empty = f.Frame([&](const PanelContext& c) { input.DrawResult(c, none, 2); });
    CHECK(empty > 0);
    CHECK(vertices > empty);
  }
  PanelFixture f(ImVec2(1600, 700));
  const auto panel = FindPanel("input_pipeline")->create();
  auto& input = static_cast<AnalysisPanel&>(*panel);
  const AnalysisResult full = SampleInput();
  const auto draw = [&](const PanelContext& c) { input.DrawResult(c, full, 1); };
  for (int i = 0; i < 3; ++i) f.Frame(draw);
  f.Click(1000, 200, draw);
  const auto commands = f.TakeCommands();
  REQUIRE(commands.size() == 1);
  CHECK(commands[0].id == "view.set_range");
}

}  // namespace
}  // namespace stepscope
