// Divides the time of each device's steps among what runs on it and why it idles
// (docs/compare.md#items).
#pragma once

#include <stop_token>
#include <vector>

#include "model/compare/item_table.h"

namespace stepscope {

// Adds items whose times sum to the mean of the typical steps. Returns the number of samples: steps
// on devices. O(device events log device events); memory of 4 bytes an event and of some hundred
// bytes for each of 50,000 idle intervals at a time.
size_t SweepDevices(AnalysisContext& context, const StepDatabase& steps,
                    const std::vector<bool>& typical, ItemTable* table, std::stop_token stop);

}  // namespace stepscope
