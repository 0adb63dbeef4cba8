#include "viewer/core/profiles/step_markers.h"

#include <doctest/doctest.h>

#include <thread>

#include "viewer/core/profiles/step_marker_loader.h"

using namespace stepscope;  // NOLINT

namespace {

ResultTable Steps(bool hosts) {
  ResultTable table{"steps", "", {{"stepnum", "", Unit::kNone, ValueType::kString, ""}}, {}, {}};
  if (hosts) table.columns.push_back({"host", "", Unit::kNone, ValueType::kString, ""});
  for (int i = 2; i >= 0; --i) {
    table.rows.push_back({"train " + std::to_string(i + 5)});
    if (hosts) table.rows.back().push_back(std::string(i == 1 ? "b" : "a"));
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
  table.rows[1][0] = std::string("eval 3");  // the second by begin: 5, 3, 7 do not rise
  steps = StepMarkers(table);
  CHECK(steps[0].number == 0);
  CHECK(steps[1].number == 1);
  CHECK(steps[2].number == 2);
}

TEST_CASE("steps that averages leave out are marked so") {
  ResultTable table = Steps(false);
  for (const char* id : {"partial", "warmup"})
    table.columns.push_back({id, "", Unit::kNone, ValueType::kBool, ""});
  table.rows[0].insert(table.rows[0].end(), {Value(true), Value(false)});
  table.rows[1].insert(table.rows[1].end(), {Value(false), Value(false)});
  table.rows[2].insert(table.rows[2].end(), {Value(false), Value(true)});
  const std::vector<StepMarker> steps = StepMarkers(table);
  CHECK_FALSE(steps[0].counts);
  CHECK(steps[1].counts);
  CHECK_FALSE(steps[2].counts);
}

TEST_CASE("a step has the table's time, which is less than its range where devices are skewed") {
  ResultTable table = Steps(false);
  std::vector<StepMarker> steps = StepMarkers(table);
  CHECK(steps[0].length() == steps[0].range.length());
  table.columns.push_back({"stepTimeMs", "", Unit::kMs, ValueType::kReal, ""});
  for (auto& row : table.rows) row.emplace_back(50e-9);
  steps = StepMarkers(table);
  CHECK(steps[0].range.length() == 90);
  CHECK(steps[0].length() == 50);
}

TEST_CASE("a table without steps gives no markers") { CHECK(StepMarkers(ResultTable()).empty()); }
TEST_CASE("Steps are under way until they are filled in, even when their job has ended") {
  JobThreads jobs;
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
