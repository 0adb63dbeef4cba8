// The findings panel: what a click does, which rules are muted, what an empty result shows.
#include <doctest/doctest.h>

#include "model/analysis/findings/findings.h"
#include "tests/viewer/drawn_text.h"
#include "tests/viewer/panel_fixture.h"
#include "viewer/panels/analysis_panel.h"

namespace stepscope {
namespace {

AnalysisResult SampleFindings(std::optional<double> step_ms = {}) {
  Findings findings;
  findings.step_ms = step_ms;
  const auto add = [&](const char* rule, FindingSeverity severity, const char* title,
                       double saving_ms, std::vector<EventRow> rows) {
    RankedFinding& f = findings.ranked.emplace_back();
    f.rule = FindRule(rule), f.severity = severity;
    f.title = title, f.saving_ms = saving_ms;
    f.assumption = "if it were gone", f.remedy = "prefetch";
    f.device_names = "GPU 0", f.step_numbers = "0..4";
    f.link = LinkTo(EventRows(std::move(rows)));
  };
  add("input-bound", FindingSeverity::kProblem, "The GPUs wait for input.", 4.5,
      {EventRow(3), EventRow(5)});
  add("copies", FindingSeverity::kNote, "Copies recur.", 0.1, {});
  AnalysisResult result;
  result.panel = "findings";
  result.SetSource(std::make_shared<const Findings>(std::move(findings)));
  return result;
}

TEST_CASE("findings: a click shows the events and what to do") {
  PanelFixture f(ImVec2(1280, 500));
  const AnalysisResult result = SampleFindings();
  const auto panel = FindPanel("findings")->create();
  auto& findings = static_cast<AnalysisPanel&>(*panel);
  const auto draw = [&](const PanelContext& c) { findings.DrawResult(c, result, 1); };
  int closed = 0;
  for (int i = 0; i < 3; ++i) closed = f.Frame(draw);
  CHECK(f.TakeCommands().empty());
  f.Click(300, 50, draw);
  const auto commands = f.TakeCommands();
  REQUIRE(commands.size() == 1);
  CHECK(commands[0].id == "select.show_events");
  CHECK(commands[0].args.events.size() == 2);
  CHECK(commands[0].args.events[1].row == EventRow(5));
  CHECK(f.Frame(draw) > closed);  // remedy, assumption, guide, buttons
}

TEST_CASE("findings: a finding says how long a step takes, and how long it would take without") {
  PanelFixture f;
  const AnalysisResult result = SampleFindings(12.0);
  const auto panel = FindPanel("findings")->create();
  auto& findings = static_cast<AnalysisPanel&>(*panel);
  const auto draw = [&](const PanelContext& c) { findings.DrawResult(c, result, 1); };
  CHECK_FALSE(DrawCalm(f, draw).Has("Without it"));
  f.Click(300, 50, draw);
  const DrawnText text = DrawCalm(f, draw);
  CAPTURE(text.All());
  CHECK(text.RightOf("Now").starts_with("12 ms"));
  CHECK(text.RightOf("Without it").starts_with("7.5 ms"));
}

TEST_CASE("findings: muted rules are left out, and what is left is drawn at every size") {
  for (const ImVec2 size : {ImVec2(320, 200), ImVec2(1280, 800), ImVec2(2560, 1440)}) {
    PanelFixture f(size);
    const AnalysisResult result = SampleFindings();
    const auto panel = FindPanel("findings")->create();
    auto& findings = static_cast<AnalysisPanel&>(*panel);
    const auto draw = [&](const PanelContext& c) { findings.DrawResult(c, result, 1); };
    int all = 0, muted = 0;
    for (int i = 0; i < 3; ++i) all = f.Frame(draw);
    f.settings.muted.everywhere = {"input-bound", "copies", "no-such-rule"};
    for (int i = 0; i < 3; ++i) muted = f.Frame(draw);
    CHECK(muted > 0);
    CHECK(muted != all);
  }
}

TEST_CASE("findings: with other definitions the panel says why there is nothing") {
  PanelFixture f;
  AnalysisResult nothing;
  nothing.panel = "findings";
  const auto panel = FindPanel("findings")->create();
  auto& findings = static_cast<AnalysisPanel&>(*panel);
  CHECK(f.Frame([&](const PanelContext& c) { findings.DrawResult(c, nothing, 1); }) > 0);
}

}  // namespace
}  // namespace stepscope
