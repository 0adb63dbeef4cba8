// The selection panel adds up what is selected, found, measured or in view.
#include <doctest/doctest.h>

#include "tests/viewer/drawn_text.h"
#include "tests/viewer/open_trace.h"
#include "tests/viewer/viewer_fixture.h"

namespace stepscope {
namespace {

TEST_CASE("selection: the measured range is added up by name, by track and event by event") {
  PanelFixture f;
  OpenTrace(f, test::TrainingTrace());
  f.view.measured = {0, kPsPerMs};  // the first step
  const auto panel = FindPanel("selection")->create();
  const DrawnText names = DrawCalm(f, *panel);
  {
    CAPTURE(names.All());
    CHECK(names.RightOf("Measured range") == "22 events, 1 of them instants, in 1 ms");
    // 16 kernels of 90 us, 2 copies of 20 us, 950 us and in it 600 us and 10 us.
    CHECK(names.RightOf("Total").starts_with(
        "3.04 ms | Self | 2.43 ms | Mean | 144.8 µs | Median | 90 µs | 95 % | 600 µs"));
    CHECK(names.RightOf("Min").starts_with("10 µs | Max | 950 µs"));
    CHECK(names.RightOf("bn_fw_tr").starts_with("8 | 720.0 | 720.0 | 90.00 | 90.00"));
    CHECK(names.RightOf("FunctionRun").starts_with("1 | 600.0 | 590.0 | "));
  }
  const ImVec2 at = names.At("By track").middle();
  f.Click(at.x, at.y, [&](const PanelContext& context) { panel->Draw(context); });
  const DrawnText tracks = DrawCalm(f, *panel);
  {
    CAPTURE(tracks.All());
    CHECK(tracks.Has("5 tracks"));
    CHECK(tracks.RightOf("Stream #15").starts_with("1 | 20.0 | 20.0 | 20.00"));
  }
}

TEST_CASE("selection: selected events go before the measured range") {
  PanelFixture f;
  OpenTrace(f, test::TrainingTrace());
  f.view.measured = {0, kPsPerMs};
  f.view.shown.Set({{f.profile.id, 0, EventRow(0)}, {f.profile.id, 0, EventRow(1)}});
  const auto panel = FindPanel("selection")->create();
  const DrawnText text = DrawCalm(f, *panel);
  CAPTURE(text.All());
  CHECK(text.RightOf("Selected events") == "2 events in 190 µs");
  CHECK(text.RightOf("Total").starts_with("180 µs | Self | 180 µs | Mean | 90 µs"));
}

TEST_CASE("selection: a click on the part that the numbers are of shows it") {
  PanelFixture f;
  OpenTrace(f, test::TrainingTrace());
  f.view.measured = {0, kPsPerMs};
  const auto panel = FindPanel("selection")->create();
  const ImVec2 at = DrawCalm(f, *panel).At("22 events, 1 of them instants, in 1 ms").middle();
  f.TakeCommands();
  f.Click(at.x, at.y, [&](const PanelContext& context) { panel->Draw(context); });
  const auto commands = f.TakeCommands();
  REQUIRE(commands.size() == 1);
  CHECK(commands[0].id == "view.set_range");
  CHECK(commands[0].args.range == TimeRange{0, kPsPerMs});
}

TEST_CASE("selection: a row's share of each step is a page of its own") {
  PanelFixture f;
  OpenTrace(f, test::TrainingTrace());
  f.view.shown.Set({{f.profile.id, 0, EventRow(0)}, {f.profile.id, 0, EventRow(1)}});
  const auto panel = FindPanel("selection")->create();
  CHECK(DrawCalm(f, *panel).Has("names"));
  f.view.panel = "selection/step";
  const DrawnText steps = DrawCalm(f, *panel);
  CAPTURE(steps.All());
  CHECK_FALSE(steps.Has("names"));
  CHECK(steps.Has("1 step"));
}

// Clicks on a text, as drawn now.
DrawnText ClickOn(PanelFixture& f, Panel& panel, const char* text) {
  const ImVec2 at = DrawCalm(f, panel).At(text).middle();
  f.Click(at.x, at.y, [&](const PanelContext& context) { panel.Draw(context); });
  return DrawCalm(f, panel);
}

TEST_CASE("selection: stacks as a flame graph, top-down and bottom-up") {
  PanelFixture f;
  OpenTrace(f, test::TrainingTrace());
  f.view.measured = {0, kPsPerMs};  // one step: train 0 > FunctionRun > cudaLaunchKernel
  const auto panel = FindPanel("selection")->create();
  const DrawnText flame = ClickOn(f, *panel, "Stacks");
  {
    CAPTURE(flame.All());
    CHECK(flame.Has("All: 950 µs"));
    const TextPiece &above = flame.At("train 0"), &below = flame.At("FunctionRun");
    CHECK(above.min.y < below.min.y);
    CHECK_FALSE(flame.Has("sgemm"));  // of a device
  }
  const DrawnText top_down = ClickOn(f, *panel, "Top-down");
  {
    CAPTURE(top_down.All());
    CHECK(top_down.Has("3 frames"));
    CHECK(top_down.RightOf("train 0").starts_with("950.0 | 350.0 | 100.0 %"));
    CHECK(top_down.At("FunctionRun").min.x > top_down.At("train 0").min.x);
  }
  const DrawnText bottom_up = ClickOn(f, *panel, "Bottom-up");
  CAPTURE(bottom_up.All());
  CHECK(bottom_up.RightOf("FunctionRun").starts_with("600.0 | 590.0 | 62.1 %"));
}

TEST_CASE("selection: a click on a frame shows its events, and the stacks stay") {
  PanelFixture f;
  OpenTrace(f, test::TrainingTrace());
  f.view.measured = {0, kPsPerMs};
  const auto panel = FindPanel("selection")->create();
  ClickOn(f, *panel, "Stacks");
  f.commands = {};
  ClickOn(f, *panel, "FunctionRun");
  const Command command = f.TakeCommands().at(0);
  REQUIRE(command.id == "select.show_events");
  REQUIRE(command.args.events.size() == 1);
  CHECK(f.profile.trace->set.Name(command.args.events[0].row) == "FunctionRun");
  f.view.shown.Set(command.args.events);
  const DrawnText text = DrawCalm(f, *panel);
  CAPTURE(text.All());
  CHECK(text.Has("Measured range"));
  CHECK(text.Has("All: 950 µs"));
  f.view.shown.Set({});
  CHECK(DrawCalm(f, *panel).Has("Measured range"));
}

TEST_CASE("selection: a command names the page of stacks") {
  PanelFixture f;
  OpenTrace(f, test::TrainingTrace());
  f.view.panel = "selection/stacks";
  const auto panel = FindPanel("selection")->create();
  CHECK(DrawCalm(f, *panel).Has("Flame graph"));
}

TEST_CASE("selection: an empty range says how to select events") {
  PanelFixture f;
  OpenTrace(f, test::TrainingTrace());
  f.view.measured = {kPsPerUs * 960, kPsPerUs * 990};
  const auto panel = FindPanel("selection")->create();
  const DrawnText text = DrawCalm(f, *panel);
  CAPTURE(text.All());
  CHECK(text.Has("No events here."));
}

}  // namespace
}  // namespace stepscope
