#include "viewer/core/profiles/step_markers.h"

#include <doctest/doctest.h>

#include <thread>

#include "viewer/core/profiles/step_marker_loader.h"

using namespace stepscope;  // NOLINT

namespace {

StepDatabase Steps(bool hosts) {
  StepDatabase db;
  for (int i = 2; i >= 0; --i) {
    Step& step = db.steps.emplace_back();
    step.label = "train " + std::to_string(i + 5);
    step.host = HostId(hosts && i == 1 ? 1 : 0);
    step.span = {i * 100, i * 100 + 90};
  }
  return db;
}

}  // namespace

TEST_CASE("each step is a marker with the step's label and range, by begin") {
  const std::vector<StepMarker> steps = StepMarkers(Steps(false));
  REQUIRE(steps.size() == 3);
  CHECK(steps[0].label == "train 5");
  CHECK(steps[2].label == "train 7");
  CHECK(steps[2].range == TimeRange{200, 290});
}

TEST_CASE("only the first host's steps are marked where several hosts have steps") {
  const std::vector<StepMarker> steps = StepMarkers(Steps(true));
  REQUIRE(steps.size() == 2);
  CHECK(steps[0].label == "train 5");
  CHECK(steps[1].label == "train 7");
}

TEST_CASE("steps are numbered by their labels if those rise, else by their places") {
  StepDatabase db = Steps(false);
  std::vector<StepMarker> steps = StepMarkers(db);
  CHECK(steps[0].number == 5);
  CHECK(steps[2].number == 7);
  db.steps[1].label = "eval 3";  // the second by begin: 5, 3, 7 do not rise
  steps = StepMarkers(db);
  CHECK(steps[0].number == 0);
  CHECK(steps[1].number == 1);
  CHECK(steps[2].number == 2);
}

TEST_CASE("steps that averages leave out are marked so") {
  StepDatabase db = Steps(false);
  db.steps[0].partial = true;
  db.steps[2].warmup = true;
  const std::vector<StepMarker> steps = StepMarkers(db);
  CHECK_FALSE(steps[0].counts);
  CHECK(steps[1].counts);
  CHECK_FALSE(steps[2].counts);
}

TEST_CASE("a step has its own time, which is less than its range where devices are skewed") {
  StepDatabase db = Steps(false);
  std::vector<StepMarker> steps = StepMarkers(db);
  CHECK(steps[0].length() == steps[0].range.length());
  for (Step& step : db.steps) step.times.total = 50;
  steps = StepMarkers(db);
  CHECK(steps[0].range.length() == 90);
  CHECK(steps[0].length() == 50);
}

namespace {

// Two steps of 100 ps on each of two devices; the second device is `late` ps behind.
StepDatabase TwoDevices(Ps late) {
  StepDatabase db;
  for (Ps i = 0; i < 2; ++i) {
    Step& step = db.steps.emplace_back();
    step.label = "train " + std::to_string(i + 5);
    step.times.total = 100;
    step.span = {i * 100, i * 100 + late + 100};
    for (Ps device = 0; device < 2; ++device) {
      DeviceStep& d = db.device_steps.emplace_back();
      d.step = static_cast<uint32_t>(i);
      d.device = PlaneId(static_cast<uint32_t>(device));
      const Ps begin = i * 100 + device * late;
      d.span = {begin, begin + 100};
    }
  }
  return db;
}

}  // namespace

TEST_CASE("replicas that are far apart have a marker each, as long as the step on them") {
  const std::vector<StepMarker> steps = StepMarkers(TwoDevices(620));
  REQUIRE(steps.size() == 4);
  for (size_t i = 0; i < 4; ++i) {
    CAPTURE(i);
    CHECK(steps[i].label == (i % 2 == 0 ? "train 5" : "train 6"));
    CHECK(steps[i].number == (i % 2 == 0 ? 5 : 6));
    CHECK(steps[i].length() == 100);
    CHECK(BarOf(steps, i).length() == 100);
  }
  CHECK(steps[2].range == TimeRange{620, 720});
  CHECK(FirstBarAt(steps, 0) == 0);
  CHECK(FirstBarAt(steps, 150) == 1);
  CHECK(FirstBarAt(steps, 700) == 2);
  CHECK(FirstBarAt(steps, 821) == 4);
}

TEST_CASE(
    "devices that are less than a step apart share a marker, whose bar ends at the next one") {
  StepDatabase db = TwoDevices(150);
  const std::vector<StepMarker> steps = StepMarkers(db);
  REQUIRE(steps.size() == 2);
  CHECK(steps[0].range == TimeRange{0, 250});
  CHECK(steps[0].length() == 100);
  CHECK(BarOf(steps, 0) == TimeRange{0, 100});
  CHECK(BarOf(steps, 1) == TimeRange{100, 350});
  db.device_steps.clear();
  CHECK(StepMarkers(db).size() == 2);
}

TEST_CASE("no steps give no markers") { CHECK(StepMarkers(StepDatabase()).empty()); }

TEST_CASE("Steps are under way until they are filled in, even when their job has ended") {
  Scheduler scheduler(2);
  JobQueue jobs(scheduler, Urgency::kSoon);
  StepMarkerLoader loader(jobs);
  std::vector<Profile> profiles(1);
  profiles[0].id = ProfileId(3);
  CHECK_FALSE(loader.waiting());
  auto overview = std::make_shared<AnalysisResult>();
  overview->serial = 1;
  loader.Use(ProfileId(3), overview);
  CHECK(loader.waiting());
  while (jobs.running() > 0) std::this_thread::yield();
  CHECK(loader.waiting());
  CHECK(loader.Update(profiles));
  CHECK_FALSE(loader.waiting());
}
