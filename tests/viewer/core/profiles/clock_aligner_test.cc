// Ranks on one clock: by default, and as recorded when the user says so.
#include "viewer/core/profiles/clock_aligner.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "loaders/loader.h"
#include "tests/support/rank_profiles.h"
#include "tests/support/xspace_builder.h"
#include "tests/viewer/drawn_text.h"
#include "tests/viewer/open_trace.h"
#include "tests/viewer/viewer_fixture.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;
using test::ViewerFixture;

constexpr Ps kOffset = 41 * kPsPerMs;  // of rank 1

std::shared_ptr<const Trace> Job(double offset_us = 41'000) {
  test::RankJobOptions options;
  options.ranks = 2;
  options.clock_offset_us = {0, offset_us};
  const fs::path folder =
      fs::temp_directory_path() / ("stepscope_clock_aligner_" + std::to_string(getpid()));
  fs::create_directories(folder);
  for (int r = 0; r < options.ranks; ++r)
    std::ofstream(folder / test::RankFileName(r), std::ios::binary) << test::MakeRank(options, r);
  Progress progress;
  auto trace = LoadPath(folder.string(), {}, {}, progress);
  fs::remove_all(folder);
  return std::move(trace).value();
}

struct Fixture : ViewerFixture {
  explicit Fixture(double offset_us = 41'000) : trace(Job(offset_us)) {
    Open(trace);
    session.profiles[0] = ProfileOf(session.profiles[0].id, trace);
    ++session.generation;
    Frame(2);
    WaitIdle();
    Frame(4);
  }
  // An event of rank 1.
  EventRef OfRank(int rank) const {
    for (const Lane& lane : trace->set.lanes) {
      const PlaneId plane = trace->set.tracks[lane.track.value].plane;
      const HostId host = trace->planes[plane.value].host;
      if (trace->hosts[host.value].rank == rank && lane.kind == LaneKind::kNested)
        return {session.profiles[0].id, 0, EventRow(lane.first_row)};
    }
    return {};
  }
  bool recorded() const { return viewer->view().profiles[0].recorded_clocks; }
  void Toggle() {
    Push("view.align_clocks");
    WaitIdle();
    Frame(4);
  }
  std::shared_ptr<const Trace> trace;
};

bool IsAbout(Ps value, Ps expected) { return std::abs(value - expected) < 20 * kPsPerUs; }

TEST_CASE_FIXTURE(Fixture, "clocks: ranks are drawn on one clock, and the view shows all of it") {
  CHECK_FALSE(recorded());
  CHECK(visible().length() < trace->first_view.length() - 30 * kPsPerMs);
}

// Two GPUs of one host.
std::shared_ptr<const Trace> OneHost() {
  test::XSpaceBuilder b;
  for (const char* plane : {"/device:GPU:0", "/device:GPU:1"})
    b.Plane(plane).Line(1, "Stream #1").Event("kernel", 0, kPsPerMs);
  return LoadBytes("h.xplane.pb", b.Bytes(), {}).value();
}

Profile RecordedOf(std::shared_ptr<const Trace> trace) {
  Profile profile;
  profile.id = ProfileId(1);
  profile.trace = std::move(trace);
  profile.analysis = std::make_shared<AnalysisContext>(profile.trace, Definitions::kStepscope);
  return profile;
}

TEST_CASE("clocks: a profile of one host has none to align, so it waits for what is more urgent") {
  Scheduler scheduler(0);
  JobQueue soon(scheduler, Urgency::kSoon), later(scheduler, Urgency::kRest);
  ClockAligner clocks(soon, later);
  const std::vector<Profile> one = {RecordedOf(OneHost())};
  clocks.Update(one);  // nothing urgent of a new profile has begun
  CHECK_FALSE(clocks.waiting());
  bool urgent = false;
  scheduler.Start(Urgency::kFirst, [&] { urgent = true; });
  clocks.Update(one);
  CHECK(clocks.waiting());
  CHECK(scheduler.RunOne());
  CHECK(urgent);
  clocks.Update(one);
  CHECK(clocks.RanksOf(one[0].id) == nullptr);
  CHECK(scheduler.RunOne());
  clocks.Update(one);
  CHECK(clocks.RanksOf(one[0].id) != nullptr);
  CHECK_FALSE(clocks.waiting());
  const std::vector<Profile> two = {RecordedOf(Job())};
  scheduler.Start(Urgency::kFirst, [] {});
  clocks.Update(two);
  CHECK(soon.running() == 1);
}

TEST_CASE_FIXTURE(Fixture, "clocks: the command takes it back, is undone and done again") {
  const TimeRange aligned = visible();
  Toggle();
  CHECK(recorded());
  CHECK(visible() == trace->first_view);
  Push("view.back");
  WaitIdle();
  CHECK_FALSE(recorded());
  CHECK(visible() == aligned);
  Push("view.forward");
  WaitIdle();
  CHECK(recorded());
  CHECK(visible() == trace->first_view);
}

TEST_CASE_FIXTURE(Fixture, "ranks: commands draw them under each other or in one lane, undone") {
  const auto ranks = [this] { return viewer->view().profiles[0].ranks; };
  CHECK(ranks() == RankLayout::kApart);
  Push("view.ranks_in_rows");
  WaitIdle();
  CHECK(ranks() == RankLayout::kRows);
  CHECK(DrawnText().Has("Rank 0"));
  Push("view.ranks_in_lane");
  WaitIdle();
  CHECK(ranks() == RankLayout::kLane);
  Push("view.back");
  WaitIdle();
  CHECK(ranks() == RankLayout::kRows);
  Push("view.back");
  WaitIdle();
  CHECK(ranks() == RankLayout::kApart);
  Push("view.ranks_in_rows");
  Push("view.ranks_in_rows");
  WaitIdle();
  CHECK(ranks() == RankLayout::kApart);
}

TEST_CASE_FIXTURE(Fixture, "clocks: the selected event keeps its place on the screen") {
  const EventRef event = OfRank(1);
  REQUIRE(event.valid());
  CommandArgs args;
  args.event = event;
  Push("select.reveal", args);
  CommandArgs range;
  range.range = {kPsPerMs, 3 * kPsPerMs};
  Push("view.set_range", range);
  Push("measure.set", range);
  WaitIdle();
  const TimeRange before = visible();
  Toggle();
  CHECK(viewer->view().selected == event);
  CHECK(IsAbout(visible().begin - before.begin, kOffset));
  CHECK(visible().length() == before.length());
  CHECK(IsAbout(viewer->view().measured.begin - kPsPerMs, kOffset));
  Toggle();
  CHECK(visible() == before);
}

TEST_CASE_FIXTURE(Fixture, "clocks: a copied view remembers the clocks") {
  Toggle();
  Push("view.copy_token");
  Frame(2);
  CHECK(services.clipboard.find(":c0") != std::string::npos);
  Toggle();
  CHECK_FALSE(recorded());
  CommandArgs token;
  token.text = services.clipboard;
  Push("view.open_token", token);
  Frame(2);
  CHECK(recorded());
}

TEST_CASE("clocks: ranks whose clocks agree, and a single rank, have nothing to align") {
  Fixture f(0);
  CHECK(f.visible() == f.trace->first_view);
  f.Toggle();
  CHECK_FALSE(f.recorded());
}

}  // namespace
}  // namespace stepscope
