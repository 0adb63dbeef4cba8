// Tables of steps and of what their time goes into (docs/rules.md#losses): a row for each step, for
// each step of a device, for each loss, and for each cause of idle time. Pure; any thread.
#pragma once

#include <vector>

#include "model/analysis/steps/steps.h"
#include "model/analysis/steps/verdict.h"
#include "model/analysis/tables/result_table.h"

namespace stepscope {

// The table `steps`. Its links hold each step's time. `bare`: XProf's columns only, without
// `inferred` and `partial`; the host only where there are several.
ResultTable StepTable(const Trace& trace, const std::vector<Step>& steps, bool bare);
// The table `device_steps`.
ResultTable DeviceStepTable(const Trace& trace, const StepDatabase& db);
// The table `step_losses`: the times of each step by StepPart, one row for each row of the table
// `steps`, in its order.
ResultTable StepLossTable(const StepDatabase& db);
// The table `losses`: those of a verdict by size. `whole`: no step was found, and the whole
// recording stands for one.
ResultTable LossTable(const Verdict& verdict, bool whole = false);
// The table `idle_by_cause`: the causes of idle time by time, in an average step; those of a class
// sum to the loss. O(causes log causes).
ResultTable IdleByCauseTable(const Trace& trace, const StepDatabase& db);
// The table `idle_causes`: the same step by step, the longest 20,000. The title says if there are
// more. O(causes log device steps).
ResultTable IdleCauseTable(const Trace& trace, const StepDatabase& db);

}  // namespace stepscope
