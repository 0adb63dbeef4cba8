// Items of a program whose device is the CPU: ops by self time, idle time by cause
// (docs/compare.md#items).
#pragma once

#include <vector>

#include "model/analysis/analysis.h"
#include "model/analysis/steps/steps.h"
#include "model/compare/item_table.h"

namespace stepscope::compare {

// Divides each typical step's compute time among the ops that begin in the step, in proportion to
// their self times; threads that run side by side share it. Adds the items to `table`.
// O(events log events).
void AddCpuItems(AnalysisContext& context, const StepDatabase& steps,
                 const std::vector<bool>& typical, ItemTable* table);

}  // namespace stepscope::compare
