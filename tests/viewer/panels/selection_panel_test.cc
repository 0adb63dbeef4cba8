// The selection panel adds up what is selected, found, measured or in view.
#include <doctest/doctest.h>

#include "tests/viewer/drawn_text.h"
#include "tests/viewer/open_trace.h"
#include "tests/viewer/viewer_fixture.h"

namespace stepscope {
namespace {

TEST_CASE("selection: the measured range is added up by name, by track and event by event") {
  PanelFixture f;
  OpenTrace(f, testing::TrainingTrace());
  f.view.measured = {0, kPsPerMs};  // the first step
  const auto panel = FindPanel("selection")->create();
  const DrawnText names = DrawCalm(f, *panel);
  {
    CAPTURE(names.All());
    CHECK(names.RightOf("Measured range") == "22 events in 1 ms");
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
  OpenTrace(f, testing::TrainingTrace());
  f.view.measured = {0, kPsPerMs};
  f.view.shown.Set({{f.profile.id, 0, EventRow(0)}, {f.profile.id, 0, EventRow(1)}});
  const auto panel = FindPanel("selection")->create();
  const DrawnText text = DrawCalm(f, *panel);
  CAPTURE(text.All());
  CHECK(text.RightOf("Selected events") == "2 events in 190 µs");
  CHECK(text.RightOf("Total").starts_with("180 µs | Self | 180 µs | Mean | 90 µs"));
}

TEST_CASE("selection: a row's share of each step is a page of its own") {
  PanelFixture f;
  OpenTrace(f, testing::TrainingTrace());
  f.view.shown.Set({{f.profile.id, 0, EventRow(0)}, {f.profile.id, 0, EventRow(1)}});
  const auto panel = FindPanel("selection")->create();
  CHECK(DrawCalm(f, *panel).Has("names"));
  f.view.panel = "selection/step";
  const DrawnText steps = DrawCalm(f, *panel);
  CAPTURE(steps.All());
  CHECK_FALSE(steps.Has("names"));
  CHECK(steps.Has("1 step"));
}

TEST_CASE("selection: an empty range says how to select events") {
  PanelFixture f;
  OpenTrace(f, testing::TrainingTrace());
  f.view.measured = {kPsPerUs * 960, kPsPerUs * 990};
  const auto panel = FindPanel("selection")->create();
  const DrawnText text = DrawCalm(f, *panel);
  CAPTURE(text.All());
  CHECK(text.Has("No events here."));
}

}  // namespace
}  // namespace stepscope
