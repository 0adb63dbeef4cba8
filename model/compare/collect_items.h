// Divides the average step of a profile into items (docs/compare.md#items).
#pragma once

#include <vector>

#include "model/analysis/analysis.h"
#include "model/analysis/steps/steps.h"
#include "model/compare/step_items.h"

namespace stepscope::compare {

// The mean of the typical steps, divided into items. `typical`: by step of `steps`; at least one is
// typical. GPUs: by what runs on the devices; programs on the CPU: by ops; others: by classes of
// time only. O(n log n) for n events.
StepItems CollectItems(AnalysisContext& context, const StepDatabase& steps,
                       const std::vector<bool>& typical);

}  // namespace stepscope::compare
