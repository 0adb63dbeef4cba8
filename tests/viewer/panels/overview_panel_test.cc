#include <doctest/doctest.h>

#include "tests/viewer/panel_fixture.h"
#include "tests/viewer/sample_results.h"
#include "viewer/core/panel.h"
#include "viewer/panels/analysis_panel.h"
#include "viewer/panels/step_chart.h"
#include "viewer/shell/verdict_strip.h"

namespace stepscope {
namespace {

TEST_CASE("step chart: averages leave partial steps out, classes that never occur have no series") {
  PanelFixture f;
  StepChart chart;
  chart.Update(f.Context(), SampleSteps(12, 2)->steps, true, 1);
  CHECK(chart.counted() == 11);
  CHECK(chart.partial() == 1);
  CHECK(chart.total().mean == doctest::Approx(10));
  CHECK(chart.total().deviation == doctest::Approx(0));
  CHECK(chart.sums()[0].mean == doctest::Approx(7));
  CHECK(chart.sums()[5].mean == doctest::Approx(2));
  REQUIRE(chart.bars().series.size() == 5);
  CHECK(chart.bars().labels[3] == "train 3");
  CHECK(chart.bars().notes[3].empty());
  CHECK(chart.bars().notes[11].starts_with("partial"));
  ChartState hidden;
  CHECK(chart.bars().TotalOf(0, hidden) == doctest::Approx(10));
  hidden.hidden = 1;  // device compute off
  CHECK(chart.bars().TotalOf(0, hidden) == doctest::Approx(3));
}

TEST_CASE("step chart: our definitions have the parts that the losses have") {
  PanelFixture f;
  std::vector<Step> steps = SampleSteps(4, 2)->steps;
  for (Step& step : steps) {
    step.class_times[static_cast<size_t>(StepTimeClass::kCompute)] = 0.7 * step.times.total;
    step.class_times[static_cast<size_t>(StepTimeClass::kInput)] = 0.3 * step.times.total;
  }
  StepChart chart;
  chart.Update(f.Context(), steps, false, 1);
  REQUIRE(chart.classes().size() == 2);  // nothing synchronises
  CHECK(chart.SumOf(Kind::kInput).mean == doctest::Approx(3));
  CHECK(chart.SumOf(Kind::kSync).mean == 0);
  REQUIRE(chart.bars().series.size() == 2);
  CHECK(chart.bars().series[1].label == "Waiting for input");
}

TEST_CASE("overview: a click on a bar moves the timeline to that step") {
  PanelFixture f(ImVec2(1900, 700));
  const AnalysisResult result = SampleOverview();
  const auto panel = FindPanel("overview")->create();
  auto& overview = static_cast<AnalysisPanel&>(*panel);
  const auto draw = [&](const PanelContext& c) { overview.DrawResult(c, result, 1); };
  for (int i = 0; i < 3; ++i) f.Frame(draw);
  CHECK(f.TakeCommands().empty());
  f.Click(950, 250, draw);  // inside the chart, which fills the middle column
  const auto commands = f.TakeCommands();
  REQUIRE(commands.size() == 1);
  CHECK(commands[0].id == "view.set_range");
  // A step of 10 ms, with a margin of 5 % on both sides.
  CHECK(commands[0].args.range.length() == 11 * kPsPerMs);
  CHECK((commands[0].args.range.begin + kPsPerMs / 2) % (10 * kPsPerMs) == 0);
}

TEST_CASE("overview: draws at every size, with 100,000 steps, and with nothing but a verdict") {
  for (const ImVec2 size :
       {ImVec2(320, 200), ImVec2(640, 260), ImVec2(1280, 800), ImVec2(2560, 1440)}) {
    PanelFixture f(size);
    const auto panel = FindPanel("overview")->create();
    auto& overview = static_cast<AnalysisPanel&>(*panel);
    const AnalysisResult few = SampleOverview(), many = SampleOverview(100000);
    for (int i = 0; i < 3; ++i)
      f.Frame([&](const PanelContext& c) { overview.DrawResult(c, few, 1); });
    int vertices = 0;
    for (int i = 0; i < 3; ++i) {
      vertices = f.Frame([&](const PanelContext& c) { overview.DrawResult(c, many, 2); });
    }
    CHECK(vertices > 100);
    CHECK(vertices < 150000);  // depends on pixels, not on steps
    AnalysisResult bare;
    bare.findings = {
        {Finding::Grade::kInfo, "No step time could be measured.", "Mark steps.", "overview"}};
    bare.SetSource(std::make_shared<const Overview>(OverviewOf(SampleSteps(0, 0))));
    CHECK(f.Frame([&](const PanelContext& c) { overview.DrawResult(c, bare, 3); }) > 0);
  }
}

TEST_CASE("panels without a profile say so") {
  PanelFixture f;
  const auto panel = FindPanel("overview")->create();
  CHECK(f.Frame([&](const PanelContext& c) { panel->Draw(c); }) > 0);
  CHECK_FALSE(panel->animating());
}

TEST_CASE("verdict strip: a click opens the panel with the evidence") {
  PanelFixture f(ImVec2(1280, 60));
  const AnalysisResult result = SampleOverview();
  const auto draw = [&](const PanelContext& c) { DrawVerdict(c, result, SumsOf(result), 1270); };
  f.Frame(draw);
  f.Click(60, 25, draw);
  const auto commands = f.TakeCommands();
  REQUIRE(commands.size() == 1);
  CHECK(commands[0].id == "panel.show");
  CHECK(commands[0].args.text == "input_pipeline");
}

}  // namespace
}  // namespace stepscope
