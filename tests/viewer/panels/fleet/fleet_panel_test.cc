// The fleet panel: who is late, the map, and the way from a cell of it to the rank's own profile.
#include <doctest/doctest.h>

#include "model/analysis/steps/losses.h"
#include "tests/support/fleet_folder.h"
#include "tests/viewer/drawn_text.h"
#include "tests/viewer/open_trace.h"
#include "tests/viewer/viewer_fixture.h"
#include "viewer/core/state/panel_list.h"
#include "viewer/panels/fleet/fleet_map.h"

namespace stepscope {
namespace {

test::RankJobOptions LateJob() {
  test::RankJobOptions options;
  options.late_rank = 2;
  options.late_us = 400;
  options.late_by = test::LateBy::kInput;
  options.jitter_us = 0;
  options.clock_offset_us = {0, 500, -700, 1000};
  return options;
}

// A fleet of two runs: that of the profiles, and an older one whose rank 1 is late.
void MakeTwoRuns(const test::FleetFolder& profiles, const test::FleetFolder& parts) {
  test::MakeBoth(LateJob(), profiles, parts);
  for (int r = 0; r < 4; ++r) {
    Result<FleetPart> old =
        fleet::ReadPart(test::PartFrom(profiles.Path(test::RankFileName(r)), "/older"));
    REQUIRE(old.ok());
    old->file.path = "/older/" + test::RankFileName(r);
    old->origin_unix_ns -= 1'000'000'000'000;
    if (r == 1) old->facts.resize(0);
    parts.Add("facts/old" + std::to_string(r) + ".stepfacts", fleet::WritePart(*old));
  }
}

void OpenAnalysed(test::ViewerFixture& f, const std::shared_ptr<const Trace>& trace) {
  f.Open(trace);
  f.session.profiles.back().analysis =
      std::make_shared<AnalysisContext>(trace, Definitions::kStepscope);
  ++f.session.generation;
  f.Frame(4);
  f.WaitIdle();
}

TEST_CASE("fleet: the late rank, its cause, and a click that opens its profile at the step") {
  const test::FleetFolder profiles("panel_p"), parts("panel_f");
  test::MakeBoth(LateJob(), profiles, parts);
  PanelFixture f;
  OpenTrace(f, test::LoadedFrom(parts.Path()));
  f.view.active = ProfileId(99);  // a rank is active: the panel has the map
  const auto panel = FindPanel("fleet")->create();
  const DrawnText text = DrawCalm(f, *panel);
  CAPTURE(text.All());
  CHECK(text.Has("Rank 2 is the last in"));  // the strip says something of the active profile
  CHECK(text.Has("steps 0 to 7"));
  CHECK_FALSE(text.Has("Whole trace"));
  const TextPiece& late = text.At("Rank 2");
  CHECK(late.min.y < text.At("Rank 0").min.y);
  f.commands = {};
  f.Click(text.At("steps 0 to 7").min.x + 4, late.middle().y,
          [&](const PanelContext& context) { panel->Draw(context); });
  const Command command = f.TakeCommands().at(0);
  CHECK(command.id == "file.open_at");
  CHECK(command.args.text == profiles.Path(test::RankFileName(2)));
  // The range holds the rank's first step as its own profile has it.
  const std::shared_ptr<const Trace> rank = test::LoadedFrom(command.args.text);
  AnalysisContext context(rank, Definitions::kStepscope);
  const RankFacts facts = GatherFacts(context, {}, FactsDepth::kAll).front();
  CHECK(command.args.range.begin <= facts.steps.front().span.begin);
  CHECK(command.args.range.end >= facts.steps.front().span.end);
  CHECK(command.args.range.length() < 2 * facts.steps.front().span.length());
}

TEST_CASE("fleet: the map takes the timeline's place, and nothing of events is there") {
  const test::FleetFolder profiles("front_p"), parts("front_f");
  test::MakeBoth(LateJob(), profiles, parts);
  test::ViewerFixture f;
  OpenAnalysed(f, test::LoadedFrom(parts.Path()));
  const DrawnText text;
  CAPTURE(text.All());
  CHECK(text.Has("Fleet"));
  CHECK(f.viewer->shows_fleet());  // `bench` waits for the timeline or for this
  CHECK(text.At("steps 0 to 7").min.y < text.At("What if").min.y);
  for (const char* of_events : {"Overview", "Kernels", "Cursor", "Whole trace"})
    CHECK_MESSAGE(!text.Has(of_events), of_events);
  const TimeRange before = f.visible();
  f.Push("view.set_range", {.range = {0, 5 * kPsPerMs}});
  f.Frame(2);
  CHECK(f.visible() == before);  // it cannot be used here
}

TEST_CASE("fleet: a rank's profile opens beside it at the range, and both stay") {
  const test::FleetFolder profiles("beside_p"), parts("beside_f");
  test::MakeBoth(LateJob(), profiles, parts);
  test::ViewerFixture f;
  OpenAnalysed(f, test::LoadedFrom(parts.Path()));
  const std::shared_ptr<const Trace> rank = test::LoadedFrom(profiles.Path(test::RankFileName(2)));
  const TimeRange range{rank->span.begin + rank->span.length() / 4,
                        rank->span.begin + rank->span.length() / 2};
  f.Push("file.open_at", {.text = rank->path, .range = range});
  f.Frame();
  CHECK(f.services.opened == std::vector<std::string>{rank->path});
  CHECK(f.services.added);
  OpenAnalysed(f, rank);
  const ProfileId id = f.session.profiles.back().id;
  CHECK(f.viewer->view().active == id);
  CHECK_FALSE(f.viewer->shows_fleet());
  CHECK_FALSE(f.viewer->view().baseline.valid());
  CHECK(f.viewer->view().VisibleIn(id) == range);
  CHECK(DrawnText().Has("Overview"));
  CHECK(DrawnText().Has("steps 0 to 7"));  // in the panel now
  f.Push("run.activate", {.profile = f.session.profiles.front().id});
  f.WaitIdle();
  CHECK_FALSE(DrawnText().Has("Overview"));
  f.Push("file.open_at", {.text = rank->path, .range = range});
  f.WaitIdle();
  CHECK(f.viewer->view().active == id);  // it is open already
}

TEST_CASE("fleet: a run is chosen by commands, and by a click on the plot over runs") {
  const test::FleetFolder profiles("runs_p"), parts("runs_f");
  MakeTwoRuns(profiles, parts);
  test::ViewerFixture f;
  Progress progress;
  std::vector<std::string> runs;
  auto trace = LoadPath(parts.Path(), {}, {}, progress, &runs);
  REQUIRE(trace.ok());
  REQUIRE(runs.size() == 2);
  OpenAnalysed(f, *trace);
  f.session.profiles.back().runs = runs;
  ++f.session.generation;
  f.WaitIdle();
  f.Push("run.newer");  // the newest is shown
  f.Frame(2);
  CHECK(f.services.opened_run.empty());
  f.Push("run.older");
  f.Frame(2);
  CHECK(f.services.opened_run == runs[1]);
  f.services.opened_run.clear();
  const TextPiece label = DrawnText().At("Slowdown (%)");
  f.Click(label.min.x - 150, label.max.y + 60);  // the oldest run is at the left
  f.Frame(2);
  CHECK(f.services.opened_run == runs[1]);
  CHECK(DrawnText().Has("Rank 1"));
}

TEST_CASE("fleet: the map is of the run that was chosen") {
  const test::FleetFolder profiles("other_p"), parts("other_f");
  MakeTwoRuns(profiles, parts);
  Progress progress;
  const auto older = LoadPath(parts.Path(), {.run = "/older"}, {}, progress);
  REQUIRE(older.ok());
  PanelFixture panel;
  OpenTrace(panel, *older);
  FleetMapView map;
  const auto draw = [&](const PanelContext& context) { map.Draw(context); };
  while (panel.Frame(draw) >= 0 && map.animating()) continue;
  panel.Frame(draw);
  CHECK(DrawnText().Has("Rank 2"));
  CHECK_FALSE(DrawnText().Has("Rank 1"));  // it has no facts there
}

TEST_CASE(
    "fleet: the map shows the classes of a step's time, and offers the orders that there are") {
  const test::FleetFolder profiles("losses_p"), parts("losses_f");
  test::MakeBoth(LateJob(), profiles, parts);
  PanelFixture f;
  OpenTrace(f, test::LoadedFrom(parts.Path()));
  FleetMapView map;
  const auto draw = [&](const PanelContext& context) { map.Draw(context); };
  while (f.Frame(draw) >= 0 && map.animating()) continue;
  f.Frame(draw);
  const DrawnText text;
  CAPTURE(text.All());
  f.Click(text.At("Lateness").middle().x, text.At("Lateness").middle().y, draw);
  f.Frame(draw);
  const DrawnText open;
  CAPTURE(open.All());
  CHECK(open.Has("Step time"));
  const TextPiece& input = open.At("Waiting for input");
  CHECK_FALSE(open.Has(LabelOf(StepTimeClass::kCompile)));  // no step has time in it
  f.Click(input.middle().x, input.middle().y, draw);
  f.Frame(draw);
  const DrawnText losses;
  CAPTURE(losses.All());
  CHECK(losses.Has("Waiting for input"));
  CHECK_FALSE(losses.Has("Lateness"));
  const TextPiece& order = losses.At("Latest first");
  f.Click(order.middle().x, order.middle().y, draw);
  f.Frame(draw);
  const DrawnText orders;
  CAPTURE(orders.All());
  CHECK(orders.Has("Host"));
  CHECK_FALSE(orders.Has("TP"));  // no name of a file has this coordinate
}

}  // namespace
}  // namespace stepscope
