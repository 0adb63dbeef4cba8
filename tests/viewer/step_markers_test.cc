#include "viewer/core/step_markers.h"

#include <doctest/doctest.h>

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

TEST_CASE("of several hosts, whose steps run side by side, the first one's are marked") {
  const std::vector<StepMarker> steps = StepMarkers(Steps(true));
  REQUIRE(steps.size() == 2);
  CHECK(steps[0].label == "train 5");
  CHECK(steps[1].label == "train 7");
}

TEST_CASE("no table of steps, no markers") { CHECK(StepMarkers(ResultTable()).empty()); }
