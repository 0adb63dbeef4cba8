#include "viewer/core/step_markers.h"

#include <doctest/doctest.h>

#include "tests/viewer/viewer_fixture.h"

using namespace stepscope;           // NOLINT
using namespace stepscope::testing;  // NOLINT

TEST_CASE("names of steps, and names that only begin like them") {
  for (const char* name : {"train", "train 12", "test 3", "TraceContext", "ProfilerStep#7",
                           "Step 1", "train_step", "step#2"}) {
    CAPTURE(name);
    CHECK(LooksLikeStep(name));
  }
  for (const char* name :
       {"training", "train/conv", "stepper", "testing_util", "Steps", "kernel", "", "step::Run"}) {
    CAPTURE(name);
    CHECK_FALSE(LooksLikeStep(name));
  }
}

TEST_CASE("steps from host events") {
  const auto steps = FindSteps(*TrainingTrace());
  REQUIRE(steps.size() == 10);
  CHECK(steps[3].label == "train 3");
  CHECK(steps[3].range == TimeRange{3 * kPsPerMs, 3 * kPsPerMs + 950 * kPsPerUs});
}

TEST_CASE("a Steps track comes first, of one device only") {
  TraceMaker maker;
  for (int gpu = 0; gpu < 2; ++gpu) {
    const PlaneId plane = maker.Plane("GPU" + std::to_string(gpu), PlaneKind::kGpu);
    maker.Track(plane, "Steps", TrackKind::kSteps, {{"1", 0, 100}, {"2", 100, 100}});
  }
  maker.Track(maker.Plane("Host", PlaneKind::kHostThreads), "t", TrackKind::kThread,
              {{"train 9", 0, 50}});
  const auto steps = FindSteps(*maker.Finish());
  REQUIRE(steps.size() == 2);
  CHECK(steps[1].label == "2");
}

TEST_CASE("of nested markers the outer stays; device events are no steps") {
  TraceMaker maker;
  maker.Track(maker.Plane("GPU", PlaneKind::kGpu), "Stream", TrackKind::kStream,
              {{"train 1", 0, 1000}});
  maker.Track(maker.Plane("Host", PlaneKind::kHostThreads), "t", TrackKind::kThread,
              {{"train 1", 0, 100}, {"step 1", 10, 20}, {"train 2", 200, 100}});
  const auto steps = FindSteps(*maker.Finish());
  REQUIRE(steps.size() == 2);
  CHECK(steps[0].label == "train 1");
  CHECK(steps[1].label == "train 2");
}

TEST_CASE("no steps is an empty list") {
  TraceMaker maker;
  maker.Track(maker.Plane("GPU", PlaneKind::kGpu), "Stream", TrackKind::kStream, {{"k", 0, 10}});
  CHECK(FindSteps(*maker.Finish()).empty());
}

TEST_CASE("markers without a number get the overview's; none: its steps become markers") {
  ResultTable table{"steps", "", {{"stepnum", "", Unit::kNone, ValueType::kString, ""}}, {}, {}};
  for (int i = 0; i < 3; ++i) {
    table.rows.push_back({"train " + std::to_string(i + 5)});
    table.links.push_back({});
    table.links.back().range = {i * 100, i * 100 + 90};
  }
  std::vector<StepMarker> steps = {{"train", {0, 80}, {}},
                                   {"eval 7", {100, 180}, {}},
                                   {"train", {200, 280}, {}},
                                   {"train", {400, 480}, {}}};
  NameSteps(table, &steps);
  CHECK(steps[0].label == "train 5");
  CHECK(steps[1].label == "eval 7");
  CHECK(steps[2].label == "train 7");
  CHECK(steps[3].label == "train");  // outside all steps of the table
  std::vector<StepMarker> none;
  NameSteps(table, &none);
  REQUIRE(none.size() == 3);
  CHECK(none[2].label == "train 7");
  CHECK(none[2].range == TimeRange{200, 290});
}
