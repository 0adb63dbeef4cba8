// Divides the time of each device among steps that are found already, and explains its idle time by
// what the host did (docs/rules.md#steps): the engine behind our device steps. Parallel over
// devices and host threads; O(n log streams).
#pragma once

#include <functional>
#include <vector>

#include "model/analysis/grouping/grouping.h"
#include "model/analysis/steps/steps.h"

namespace stepscope {

// Fills db->device_steps, causes and idle times, and each step's span and times (the mean over its
// devices). Removes steps without device events.
void DivideDevices(AnalysisContext& context, StepPlan plan, StepDatabase* db);

}  // namespace stepscope
