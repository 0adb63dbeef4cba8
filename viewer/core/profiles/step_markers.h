// Step markers: the steps of the overview's table as labels and ranges, for the strip on top
// of the timeline and for "go to step". model/analysis/steps/steps.h decides what a step is.
// Pure; any thread.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "model/analysis/params.h"
#include "model/analysis/tables/result_table.h"
#include "viewer/core/profiles/profile.h"

namespace stepscope {

// One marker for each row of the table "steps" (label: stepnum, range: the row's link), by begin.
// Steps of several hosts run side by side: only those of the table's first host are taken.
// O(n log n)
std::vector<StepMarker> StepMarkers(const ResultTable& table);

// The steps that a user names: "3..7", or "5" alone; nullopt for any other text.
std::optional<StepInterval> ParseStepText(std::string_view text);

}  // namespace stepscope
