// The fleet panel: who is late, the map, and the way from a cell of it to the rank's own profile.
#include <doctest/doctest.h>

#include "tests/support/fleet_folder.h"
#include "tests/viewer/drawn_text.h"
#include "tests/viewer/open_trace.h"
#include "tests/viewer/viewer_fixture.h"
#include "viewer/core/state/panel_list.h"

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

TEST_CASE("fleet: the late rank, its cause, and a click that opens its profile at the step") {
  const test::FleetFolder profiles("panel_p"), parts("panel_f");
  test::MakeBoth(LateJob(), profiles, parts);
  PanelFixture f;
  OpenTrace(f, test::LoadedFrom(parts.Path()));
  const auto panel = FindPanel("fleet")->create();
  const DrawnText text = DrawCalm(f, *panel);
  CAPTURE(text.All());
  CHECK(text.Has("Look at its input"));  // the strip above the timeline says who is late
  CHECK(text.Has("steps 0 to 7"));
  const TextPiece& late = text.At("Rank 2");
  CHECK(late.min.y < text.At("Rank 0").min.y);
  f.commands = {};
  f.Click(text.At("steps 0 to 7").min.x + 4, late.middle().y,
          [&](const PanelContext& context) { panel->Draw(context); });
  Command command;
  REQUIRE(f.commands.Pop(&command));
  CHECK(command.id == "file.open_at");
  CHECK(command.args.text == profiles.Path(test::RankFileName(2)));
  // The range holds the rank's first step as its own profile has it.
  const std::shared_ptr<const Trace> rank = test::LoadedFrom(command.args.text);
  AnalysisContext context(rank, Definitions::kStepscope);
  const RankFacts facts = GatherFacts(context, {}, FactsDepth::kAll, {}).front();
  CHECK(command.args.range.begin <= facts.steps.front().span.begin);
  CHECK(command.args.range.end >= facts.steps.front().span.end);
  CHECK(command.args.range.length() < 2 * facts.steps.front().span.length());
}

TEST_CASE("fleet: the panel comes to the front, and the profile opens at the range") {
  const test::FleetFolder profiles("front_p"), parts("front_f");
  test::MakeBoth(LateJob(), profiles, parts);
  testing::ViewerFixture f;
  f.Open(test::LoadedFrom(parts.Path()));
  f.WaitIdle();
  CHECK(DrawnText().Has("Fleet"));
  const std::shared_ptr<const Trace> rank = test::LoadedFrom(profiles.Path(test::RankFileName(2)));
  const TimeRange range{rank->span.begin + rank->span.length() / 4,
                        rank->span.begin + rank->span.length() / 2};
  f.Push("file.open_at", {.text = rank->path, .range = range});
  f.Frame();
  CHECK(f.services.opened == std::vector<std::string>{rank->path});
  f.Open(rank);
  f.WaitIdle();
  CHECK(f.visible() == range);
}

}  // namespace
}  // namespace stepscope
