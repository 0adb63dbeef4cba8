// Tests of the texts in the strip of steps.
#include "viewer/timeline/painting/ruler.h"

#include <doctest/doctest.h>

using namespace stepscope;  // NOLINT

TEST_CASE("the text of a step's bar is the bar's length; the step's own is named if it differs") {
  StepMarker step;
  step.range = {0, 630 * kPsPerMs};
  CHECK(BarText(step, step.range) == "630 ms");
  step.time = 112 * kPsPerMs / 10;
  CHECK(BarText(step, step.range) == "11.2 ms, mean of devices");
  CHECK(BarText(step, {0, 112 * kPsPerMs / 10}) == "11.2 ms");
}
