// Steps as labels and ranges, for the strip on top of the timeline and for "go to step": the steps
// that the overview's table has, and no others. Which they are is for model/analysis/steps.h to
// say.
#pragma once

#include <string>
#include <vector>

#include "model/analysis/result_table.h"
#include "viewer/core/run.h"

namespace stepscope {

// One a row of the table "steps" (stepnum, ranges in its links), by begin. Where the table has the
// steps of several hosts, which run side by side, those of its first host. O(n log n).
std::vector<StepMarker> StepMarkers(const ResultTable& table);

}  // namespace stepscope
