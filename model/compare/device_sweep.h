// Divides the time of each device's steps among what runs on it and why it idles
// (docs/compare.md#items).
#pragma once

#include <vector>

#include "model/analysis/analysis.h"
#include "model/analysis/steps/steps.h"
#include "model/compare/item_table.h"

namespace stepscope::compare {

// Adds items to `table` whose times sum to the mean of the typical steps. Returns the number of
// samples, each a typical step on one device. O(device events log device events). Takes 4 bytes for
// each event of a device, and some hundred bytes for each of at most 50,000 idle intervals.
size_t SweepDevices(AnalysisContext& context, const StepDatabase& steps,
                    const std::vector<bool>& typical, ItemTable* table);

}  // namespace stepscope::compare
