#include "viewer/core/profiles/step_markers.h"

#include <doctest/doctest.h>

#include <thread>

#include "tests/support/table_rows.h"
#include "viewer/core/profiles/step_marker_loader.h"

using namespace stepscope;  // NOLINT

namespace {

ResultTable Steps(bool hosts) {
  ResultTable table{"steps", "", {{"stepnum", "", Unit::kNone, ValueType::kString, ""}}};
  if (hosts) table.AddColumn({"host", "", Unit::kNone, ValueType::kString, ""});
  for (int i = 2; i >= 0; --i) {
    std::vector<Value> row = {"train " + std::to_string(i + 5)};
    if (hosts) row.push_back(std::string(i == 1 ? "b" : "a"));
    table.AddRow(std::move(row));
    table.links.push_back({});
    table.links.back().range = {i * 100, i * 100 + 90};
  }
  return table;
}

}  // namespace

TEST_CASE("each row of the table is a marker with the row's label and range, by begin") {
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
  std::vector<StepMarker> steps = StepMarkers(Steps(false));
  CHECK(steps[0].number == 5);
  CHECK(steps[2].number == 7);
  ResultTable table = Steps(false);
  test::SetCell(&table, 1, 0, std::string("eval 3"));  // the second by begin: 5, 3, 7 do not rise
  steps = StepMarkers(table);
  CHECK(steps[0].number == 0);
  CHECK(steps[1].number == 1);
  CHECK(steps[2].number == 2);
}

TEST_CASE("steps that averages leave out are marked so") {
  ResultTable table = Steps(false);
  for (const char* id : {"partial", "warmup"})
    table.AddColumn({id, "", Unit::kNone, ValueType::kBool, ""});
  for (const bool partial : {true, false, false}) table.columns[1].values.Add(partial);
  for (const bool warmup : {false, false, true}) table.columns[2].values.Add(warmup);
  const std::vector<StepMarker> steps = StepMarkers(table);
  CHECK_FALSE(steps[0].counts);
  CHECK(steps[1].counts);
  CHECK_FALSE(steps[2].counts);
}

TEST_CASE("a step has the table's time, which is less than its range where devices are skewed") {
  ResultTable table = Steps(false);
  std::vector<StepMarker> steps = StepMarkers(table);
  CHECK(steps[0].length() == steps[0].range.length());
  table.AddColumn({"stepTimeMs", "", Unit::kMs, ValueType::kReal, ""});
  for (size_t row = 0; row < 3; ++row) table.columns[1].values.Add(50e-9);
  steps = StepMarkers(table);
  CHECK(steps[0].range.length() == 90);
  CHECK(steps[0].length() == 50);
}

namespace {

// Two steps of 100 ps on each of two devices; the second device is `late` ps behind.
struct TwoDevices {
  explicit TwoDevices(Ps late) {
    const auto text = [](const char* id) {
      return ColumnDesc{id, "", Unit::kNone, ValueType::kString, ""};
    };
    steps.SetColumns({text("stepnum"), {"stepTimeMs", "", Unit::kMs, ValueType::kReal, ""}});
    devices.SetColumns({text("stepnum"), text("host"), text("device")});
    for (Ps step = 0; step < 2; ++step) {
      const std::string label = "train " + std::to_string(step + 5);
      steps.AddRow({label, 100e-9});
      steps.links.emplace_back().range = {step * 100, step * 100 + late + 100};
      for (Ps device = 0; device < 2; ++device) {
        const Ps begin = step * 100 + device * late;
        devices.AddRow({label, std::string("host"), std::string(device == 0 ? "GPU 0" : "GPU 1")});
        devices.links.emplace_back().range = {begin, begin + 100};
      }
    }
  }
  ResultTable steps{"steps", ""}, devices{"device_steps", ""};
};

}  // namespace

TEST_CASE("replicas that are far apart have a marker each, as long as the step on them") {
  const TwoDevices table(620);
  const std::vector<StepMarker> steps = StepMarkers(table.steps, &table.devices);
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
  const TwoDevices table(150);
  const std::vector<StepMarker> steps = StepMarkers(table.steps, &table.devices);
  REQUIRE(steps.size() == 2);
  CHECK(steps[0].range == TimeRange{0, 250});
  CHECK(steps[0].length() == 100);
  CHECK(BarOf(steps, 0) == TimeRange{0, 100});
  CHECK(BarOf(steps, 1) == TimeRange{100, 350});
  CHECK(StepMarkers(table.steps).size() == 2);
}

TEST_CASE("a table without steps gives no markers") { CHECK(StepMarkers(ResultTable()).empty()); }
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
