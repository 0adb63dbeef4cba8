// Step markers: the steps of the overview as labels and ranges, for the strip on top of the
// timeline and for "go to step". model/analysis/steps/steps.h decides what a step is. Pure; any
// thread.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "model/analysis/params.h"
#include "model/analysis/steps/steps.h"
#include "viewer/core/profiles/profile.h"

namespace stepscope {

// One marker for each step, by begin. Steps of several hosts run side by side: only those of the
// first host are taken. Devices that are in a step a whole step's length apart from each other
// (replicas that take turns) have a marker each, with the step's label and number and with their
// own range and time. O(n log n)
std::vector<StepMarker> StepMarkers(const StepDatabase& db);

// The bar of step `i` in the strip: its range until the next marker begins, because devices that
// are out of step end later. O(1)
TimeRange BarOf(std::span<const StepMarker> steps, size_t i);
// The index of the first bar that does not end before `t`. O(log n)
size_t FirstBarAt(std::span<const StepMarker> steps, Ps t);
// The steps that a user names: "3..7", or "5" alone; nullopt for any other text.
std::optional<StepInterval> ParseStepText(std::string_view text);

}  // namespace stepscope
