// The markers panel lists markers with their times; clicks go there and measure.
#include <doctest/doctest.h>

#include "tests/viewer/drawn_text.h"
#include "tests/viewer/open_trace.h"
#include "tests/viewer/viewer_fixture.h"

namespace stepscope {
namespace {

constexpr TimeRange kSlow{2 * kPsPerMs, 5 * kPsPerMs};

void OpenMarked(PanelFixture& f) {
  OpenTrace(f, test::TrainingTrace());
  auto& markers = f.view.Find(f.profile.id)->markers;
  markers.push_back({{kPsPerMs + 250 * kPsPerUs, kPsPerMs + 250 * kPsPerUs}, "spike", 0});
  markers.push_back({kSlow, "slow part", 1});
}

TEST_CASE("markers: each has its name, its begin and its length") {
  PanelFixture f;
  OpenMarked(f);
  const auto panel = FindPanel("markers")->create();
  const DrawnText text = DrawCalm(f, *panel);
  CAPTURE(text.All());
  CHECK(text.RightOf("spike").starts_with("1.25 ms | "));  // a moment has no length
  CHECK(text.RightOf("slow part").starts_with("2 ms | 3 ms | "));
}

TEST_CASE("markers: times are of the whole trace, and a click shows all of it") {
  PanelFixture f;
  OpenMarked(f);
  const auto panel = FindPanel("markers")->create();
  const TimeRange span = f.profile.trace->span;
  const DrawnText text = DrawCalm(f, *panel);
  const ImVec2 at = text.At("Whole trace, " + FormatDuration(span.length(), 4)).middle();
  f.TakeCommands();
  f.Click(at.x, at.y, [&](const PanelContext& context) { panel->Draw(context); });
  const auto commands = f.TakeCommands();
  REQUIRE(commands.size() == 1);
  CHECK(commands[0].args.range == span);
}

TEST_CASE("markers: a click on the begin shows the marker, one on the length measures it") {
  PanelFixture f;
  OpenMarked(f);
  const auto panel = FindPanel("markers")->create();
  const auto draw = [&](const PanelContext& context) { panel->Draw(context); };
  const DrawnText text = DrawCalm(f, *panel);
  const ImVec2 begin = text.At("2 ms").middle(), length = text.At("3 ms").middle();
  f.TakeCommands();
  f.Click(begin.x, begin.y, draw);
  auto commands = f.TakeCommands();
  REQUIRE(commands.size() == 1);
  CHECK(commands[0].id == "view.set_range");
  CHECK(commands[0].args.profile == f.profile.id);
  CHECK(commands[0].args.range.begin < kSlow.begin);
  CHECK(commands[0].args.range.end > kSlow.end);
  f.Click(length.x, length.y, draw);
  commands = f.TakeCommands();
  REQUIRE(commands.size() == 1);
  CHECK(commands[0].id == "measure.set");
  CHECK(commands[0].args.range.begin == kSlow.begin);
  CHECK(commands[0].args.range.end == kSlow.end);
}

TEST_CASE("markers: without any the panel says how to make one, and its button makes one") {
  PanelFixture f;
  OpenTrace(f, test::TrainingTrace());
  const auto panel = FindPanel("markers")->create();
  const DrawnText text = DrawCalm(f, *panel);
  CAPTURE(text.All());
  CHECK(text.Has("No markers yet."));
  const ImVec2 add = text.At("Add marker").middle();
  f.Click(add.x, add.y, [&](const PanelContext& context) { panel->Draw(context); });
  const auto commands = f.TakeCommands();
  REQUIRE(commands.size() == 1);
  CHECK(commands[0].id == "mark.add");
}

}  // namespace
}  // namespace stepscope
