// The ranks panel names the rank that was made late, and by how much.
#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "loaders/loader.h"
#include "tests/support/rank_profiles.h"
#include "tests/viewer/drawn_text.h"
#include "tests/viewer/open_trace.h"
#include "tests/viewer/viewer_fixture.h"
#include "viewer/core/state/track_rules.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

std::shared_ptr<const Trace> Job(const test::RankJobOptions& options) {
  const fs::path folder =
      fs::temp_directory_path() / ("stepscope_ranks_panel_" + std::to_string(getpid()));
  fs::create_directories(folder);
  for (int r = 0; r < options.ranks; ++r)
    std::ofstream(folder / test::RankFileName(r), std::ios::binary) << test::MakeRank(options, r);
  Progress progress;
  auto trace = LoadPath(folder.string(), {}, {}, progress);
  fs::remove_all(folder);
  return std::move(trace).value();
}

TEST_CASE("ranks: the late rank, its lateness and its cause") {
  test::RankJobOptions options;
  options.late_rank = 2;
  options.late_us = 400;
  options.late_by = test::LateBy::kInput;
  options.jitter_us = 0;
  PanelFixture f;
  OpenTrace(f, Job(options));
  const auto panel = FindPanel("ranks")->create();
  const DrawnText text = DrawCalm(f, *panel);
  CAPTURE(text.All());
  CHECK(text.Has(
      "Rank 2 is the last in 100 % of the steps, by 400 µs a step (27.4 % of it); the cause is "
      "waiting for input"));
  CHECK(text.RightOf("Slowest rank").starts_with("2 | Ranks | 4 | "));
  CHECK(text.RightOf("Collectives of several ranks").starts_with("24 | "));
  CHECK(text.RightOf("rank 2").starts_with("0.000 | 0.000 | 1.459 | 100.0 % | 400.0 | input"));
  CHECK(text.RightOf("rank 1").starts_with("0.000 | 0.000 | 1.459 | 0.0 % | "));
}

TEST_CASE("ranks: the map has the latest rank on top, and a click goes to the step of a rank") {
  test::RankJobOptions options;
  options.late_rank = 2;
  options.late_us = 400;
  options.jitter_us = 0;
  PanelFixture f;
  OpenTrace(f, Job(options));
  const auto panel = FindPanel("ranks")->create();
  const DrawnText text = DrawCalm(f, *panel);
  CAPTURE(text.All());
  CHECK(text.Has("steps 0 to 7"));
  CHECK(text.Has("400 µs late"));
  const TextPiece& late = text.At("Rank 2");
  CHECK(late.min.y < text.At("Rank 0").min.y);
  CHECK(late.min.y < text.At("Rank 1").min.y);
  f.commands = {};
  const float x = text.At("steps 0 to 7").min.x + 4;
  f.Click(x, late.middle().y, [&](const PanelContext& context) { panel->Draw(context); });
  std::vector<std::string> pushed;
  TimeRange shown;
  EventRef event;
  for (Command command; f.commands.Pop(&command);) {
    pushed.push_back(command.id);
    if (command.id == "view.set_range") shown = command.args.range;
    if (command.id == "select.reveal") event = command.args.event;
  }
  REQUIRE(pushed == std::vector<std::string>{"select.reveal", "view.set_range"});
  const Ps start = f.profile.trace->set.Start(event.row);
  CHECK(shown.Contains(start));
  CHECK(shown.length() > kPsPerMs);  // a step of 1.459 ms
  CHECK(shown.length() < 2 * kPsPerMs);
}

TEST_CASE("ranks: the tracks of the ranks are pinned, the latest rank first, and let go again") {
  test::RankJobOptions options;
  options.late_rank = 2;
  options.late_us = 400;
  options.jitter_us = 0;
  PanelFixture f;
  OpenTrace(f, Job(options));
  const auto panel = FindPanel("ranks")->create();
  const ImVec2 pin = DrawCalm(f, *panel).At("Pin ranks to the top, latest first").middle();
  f.commands = {};
  f.Click(pin.x, pin.y, [&](const PanelContext& context) { panel->Draw(context); });
  Command command;
  REQUIRE(f.commands.Pop(&command));
  CHECK(command.id == "track.pin");
  const std::vector<std::string>& paths = command.args.paths;
  REQUIRE(paths.size() == 4);
  CHECK(paths[0].find("rank 2|") == 0);
  CHECK(paths[1].find("rank 0|") == 0);
  TrackRules rules;
  rules.pinned = paths;
  f.settings.Set("timeline.tracks", ToText(rules));
  CHECK(DrawCalm(f, *panel).Has("Unpin the ranks' tracks"));
}

TEST_CASE("ranks: without collectives in common the panel says what is not known") {
  PanelFixture f;
  OpenTrace(f, testing::TrainingTrace());
  const auto panel = FindPanel("ranks")->create();
  const DrawnText text = DrawCalm(f, *panel);
  CAPTURE(text.All());
  CHECK(text.Has("No collective could be paired between ranks"));
  CHECK(text.RightOf("Collectives of several ranks").starts_with("0 | "));
}

}  // namespace
}  // namespace stepscope
