// The ranks panel names the rank that was made late, and by how much.
#include <doctest/doctest.h>
#include <imgui_internal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "loaders/loader.h"
#include "tests/support/rank_profiles.h"
#include "tests/viewer/drawn_text.h"
#include "tests/viewer/open_trace.h"
#include "tests/viewer/viewer_fixture.h"
#include "viewer/core/state/track_rules.h"
#include "viewer/shell/shell.h"

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
  CHECK(text.RightOf("Slowest rank").starts_with("2 | Waits for it | 27.4 % | "));
  // The font's width decides whether more stands in the line.
  CHECK((text.RightOf("Collectives of several ranks") + " | ").starts_with("24 | "));
  CHECK(text.RightOf("rank 2").starts_with("0.000 | 0.000 | 1.459 | 100.0 % | 400.0 | input"));
  CHECK(text.RightOf("rank 1").starts_with("0.000 | 0.000 | 1.459 | 0.0 % | "));
}

TEST_CASE("ranks: the panel has a tab in the window of a job, behind the overview") {
  test::TraceMaker job(2);
  for (const int host : {0, 1}) {
    const PlaneId gpu = job.Plane("GPU " + std::to_string(host), PlaneKind::kGpu, host);
    job.Track(gpu, "stream", TrackKind::kStream, {{"k", 0, kPsPerMs}});
  }
  const auto tab = [](test::ViewerFixture& f, const std::shared_ptr<const Trace>& trace) {
    f.Open(trace);
    f.Frame(8);
    return ImGui::FindWindowByName(PanelWindowName(*FindPanel("ranks")).c_str());
  };
  {
    test::ViewerFixture f;
    CHECK(tab(f, test::TrainingTrace()) == nullptr);
  }
  test::ViewerFixture f;
  const ImGuiWindow* ranks = tab(f, job.Finish());
  REQUIRE(ranks != nullptr);
  CHECK(ranks->WasActive);
  CHECK(!ranks->DockTabIsVisible);
  const std::string overview = PanelWindowName(*FindPanel("overview"));
  const bool front = ImGui::FindWindowByName(overview.c_str())->DockTabIsVisible;
  CHECK(front);
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
  for (const Command& command : f.TakeCommands()) {
    pushed.push_back(command.id.text());
    if (command.id == "view.set_range") shown = command.args.range;
    if (command.id == "select.reveal") event = command.args.event;
  }
  REQUIRE(pushed == std::vector<std::string>{"select.reveal", "view.set_range"});
  const Ps start = f.profile.trace->set.Start(event.row);
  CHECK(shown.Contains(start));
  CHECK(shown.length() > kPsPerMs);  // a step of 1.459 ms
  CHECK(shown.length() < 2 * kPsPerMs);
}

TEST_CASE("ranks: links draw the ranks under each other, in one lane, and with their hosts") {
  PanelFixture f;
  OpenTrace(f, Job({}));
  f.profile.ranks = std::make_shared<const std::vector<RankTracks>>(2);
  const auto panel = FindPanel("ranks")->create();
  const auto clicked = [&](const char* text) {
    const ImVec2 at = DrawCalm(f, *panel).At(text).middle();
    f.commands = {};
    f.Click(at.x, at.y, [&](const PanelContext& context) { panel->Draw(context); });
    const std::vector<Command> commands = f.TakeCommands();
    return commands.empty() ? std::string() : commands.front().id.text();
  };
  {  // The links stand at the right end of the line of titles, and shift none of these.
    const DrawnText text = DrawCalm(f, *panel);
    CAPTURE(text.All());
    const TextPiece& steps = text.At("Steps");
    bool level = false;  // another "Ranks" says how many there are
    for (const TextPiece& piece : text.pieces())
      level = level || (piece.text == "Ranks" && piece.min.y == steps.min.y);
    CHECK(level);
  }
  CHECK(clicked("Ranks under each other") == "view.ranks_in_rows");
  CHECK(clicked("Ranks in one lane") == "view.ranks_in_lane");
  f.view.profiles[0].ranks = RankLayout::kLane;
  CHECK(clicked("Ranks with their hosts") == "view.ranks_in_lane");
}

TEST_CASE("ranks: without collectives in common the panel says what is not known") {
  PanelFixture f;
  OpenTrace(f, test::TrainingTrace());
  const auto panel = FindPanel("ranks")->create();
  const DrawnText text = DrawCalm(f, *panel);
  CAPTURE(text.All());
  CHECK(text.Has("No collective could be paired between ranks"));
  CHECK(text.RightOf("Collectives of several ranks").starts_with("0 | "));
}

}  // namespace
}  // namespace stepscope
