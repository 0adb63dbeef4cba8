// The details of events whose times and launches are known. Times are in us.
#include <doctest/doctest.h>

#include "loaders/loader.h"
#include "tests/support/kineto_text.h"
#include "tests/support/trace_lookup.h"
#include "tests/viewer/drawn_text.h"
#include "tests/viewer/open_trace.h"
#include "tests/viewer/viewer_fixture.h"
#include "viewer/core/state/track_rules.h"

namespace stepscope {
namespace {

using test::RowNamed;

// The second kernel waits for the first on its stream.
std::shared_ptr<const Trace> TwoKernels() {
  test::KinetoText t;
  t.Host("user_annotation", "step", 0, 100).Host("cpu_op", "aten::mm", 10, 30);
  t.Launch(1, 20, 4).Launch(2, 26, 4).Kernel("first", 1, 38, 5).Kernel("second", 2, 45, 7);
  return LoadBytes("t.json", t.Text(), {}).value();
}

TEST_CASE("details: a kernel's times, its launch and its neighbours") {
  PanelFixture f;
  OpenTrace(f, TwoKernels());
  const Trace& trace = *f.profile.trace;
  f.view.selected = {f.profile.id, 0, RowNamed(trace, "second")};
  const auto panel = FindPanel("details")->create();
  const DrawnText text = DrawCalm(f, *panel);
  CAPTURE(text.All());
  CHECK(text.Has("second"));
  CHECK(text.RightOf("Start") == "45 µs");
  CHECK(text.RightOf("Duration") == "7 µs");
  CHECK(text.RightOf("Launched by") == "cudaLaunchKernel");
  CHECK(text.RightOf("Launch delay") == "15 µs");
  CHECK(text.RightOf("Ahead in queue") == "1");
  CHECK(text.RightOf("Launched inside") == "aten::mm");
  CHECK(text.At("step").min.y > text.At("aten::mm").min.y);
  CHECK(text.RightOf("Previous") == "first");
  CHECK(text.RightOf("Gap before") == "2 µs");
  CHECK(text.Find("Next") == nullptr);
  CHECK(text.Has("The only one of this name"));
  CHECK(text.RightOf("stream") == "7");
  CHECK(text.RightOf("correlation") == "2");
}

TEST_CASE("details: a click on what launched it goes there") {
  PanelFixture f;
  OpenTrace(f, TwoKernels());
  const Trace& trace = *f.profile.trace;
  f.view.selected = {f.profile.id, 0, RowNamed(trace, "second")};
  const auto panel = FindPanel("details")->create();
  const ImVec2 at = DrawCalm(f, *panel).At("aten::mm").middle();
  f.TakeCommands();
  f.Click(at.x, at.y, [&](const PanelContext& context) { panel->Draw(context); });
  const auto commands = f.TakeCommands();
  REQUIRE(commands.size() == 1);
  CHECK(commands[0].id == "select.reveal");
  CHECK(commands[0].args.event.row == RowNamed(trace, "aten::mm"));
}

TEST_CASE("details: a host event has its self time and what it launches") {
  PanelFixture f;
  OpenTrace(f, TwoKernels());
  f.view.selected = {f.profile.id, 0, RowNamed(*f.profile.trace, "aten::mm")};
  const auto panel = FindPanel("details")->create();
  const DrawnText text = DrawCalm(f, *panel);
  CAPTURE(text.All());
  CHECK(text.RightOf("Duration") == "30 µs");
  CHECK(text.RightOf("Self time") == "22 µs");
  CHECK(text.RightOf("Inside") == "step");
  CHECK(text.Find("Launch delay") == nullptr);
  CHECK(text.RightOf("cat") == "cpu_op");
}

TEST_CASE("details: tracks and planes are called as the user calls them") {
  PanelFixture f;
  OpenTrace(f, TwoKernels());
  const Trace& trace = *f.profile.trace;
  const EventRow row = RowNamed(trace, "second");
  f.view.selected = {f.profile.id, 0, row};
  const auto panel = FindPanel("details")->create();
  CHECK(DrawCalm(f, *panel).Has("on GPU 0"));
  const TrackId track = trace.set.TrackOf(row);
  TrackRules rules;
  rules.names[TrackPath(trace, trace.set, track)] = "main stream";
  rules.names[PlanePath(trace, trace.set.tracks[track.value].plane)] = "the fast one";
  f.settings.tracks = rules;
  CHECK(DrawCalm(f, *panel).Has("main stream on the fast one"));
  f.settings.tracks = {};
  CHECK(DrawCalm(f, *panel).Has("on GPU 0"));
}

TEST_CASE("details: without a selection it adds up what is in view") {
  PanelFixture f;
  OpenTrace(f, TwoKernels());
  const auto panel = FindPanel("details")->create();
  const DrawnText text = DrawCalm(f, *panel);
  CAPTURE(text.All());
  const TextPiece& scope = text.At("Whole trace, 100.0 µs");
  CHECK(text.Has("6 events on 2 tracks."));
  CHECK(text.RightOf("Threads") == "4 events, 100.0 µs");  // self time
  CHECK(text.RightOf("Streams") == "2 events, 12.0 µs");
  CHECK(text.RightOf("mm") == "22.000 | 19.6 % | 30.000 | 1 | 30.000");
  f.TakeCommands();
  f.Click(scope.middle().x, scope.middle().y,
          [&](const PanelContext& context) { panel->Draw(context); });
  const auto commands = f.TakeCommands();
  REQUIRE(commands.size() == 1);
  CHECK(commands[0].id == "view.set_range");
  CHECK(commands[0].args.range == f.view.VisibleIn(f.profile.id));
}

TEST_CASE("details: the time of all events of a name leads to its share of each step") {
  PanelFixture f;
  OpenTrace(f, test::TrainingTrace());
  f.profile.steps = std::make_shared<const std::vector<StepMarker>>(1);
  f.view.selected = {f.profile.id, 0, RowNamed(*f.profile.trace, "bn_fw_tr")};
  const auto panel = FindPanel("details")->create();
  const DrawnText text = DrawCalm(f, *panel);
  CAPTURE(text.All());
  const TextPiece& total = text.At("All together 7.2 ms in the whole trace: share of each step");
  f.TakeCommands();
  f.Click(total.middle().x, total.middle().y,
          [&](const PanelContext& context) { panel->Draw(context); });
  const auto commands = f.TakeCommands();
  REQUIRE(commands.size() == 2);
  CHECK(commands[0].id == "search.set");
  CHECK(commands[0].args.text == "=bn_fw_tr");
  CHECK(commands[1].id == "panel.show");
  CHECK(commands[1].args.text == "selection/step");
}

}  // namespace
}  // namespace stepscope
