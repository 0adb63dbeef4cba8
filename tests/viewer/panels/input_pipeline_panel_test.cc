#include <doctest/doctest.h>

#include "tests/support/table_rows.h"

#include "tests/viewer/panel_fixture.h"
#include "tests/viewer/sample_results.h"
#include "viewer/core/panel.h"
#include "viewer/panels/analysis_panel.h"

namespace stepscope {
namespace {

AnalysisResult SampleInput() {
  AnalysisResult r;
  r.tables.push_back(SampleSteps(8, 3));
  ResultTable ops = test::TableWith(
      "host_ops", "Input ops",
      {{"opName", "Operation", Unit::kNone, ValueType::kString, ""},
       {"count", "Count", Unit::kCount, ValueType::kInt, ""},
       {"selfTimeInMs", "Self time", Unit::kMs, ValueType::kReal, ""},
       {"category", "Category", Unit::kNone, ValueType::kString, ""}},
      {{std::string("Iterator::Map"), int64_t{4}, 12.5, std::string("Preprocessing")},
       {std::string("Iterator::TFRecord"), int64_t{2}, 1.5, std::string("Demanded file read")}});
  r.tables.push_back(std::move(ops));
  r.properties = {{"demanded_file_read_us", "Reading", 1500.0, Unit::kUs, ""},
                  {"advanced_file_read_us", "Reading ahead", 0.0, Unit::kUs, ""},
                  {"preprocessing_us", "Preprocessing", 12500.0, Unit::kUs, ""},
                  {"enqueue_us", "Enqueue", 0.0, Unit::kUs, ""},
                  {"unclassified_nonequeue_us", "Other", 0.0, Unit::kUs, ""}};
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
    const AnalysisResult none;
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
