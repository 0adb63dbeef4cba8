// Tables of times by class: the losses by size, what each step goes into, and why devices are idle
// (docs/rules.md#losses). Pure; any thread.
#pragma once

#include "model/analysis/steps/verdict.h"
#include "model/analysis/tables/result_table.h"

namespace stepscope {

// The name of a class for people; IdOf (losses.h) is for scripts.
const char* LabelOf(StepTimeClass c);
// The losses of a verdict by size. `whole`: no step was found, and the
// whole recording stands for one.
ResultTable LossTable(const Verdict& verdict, bool whole = false);
// The times of each step by group (StepTimeGroups): one row for each row of
// the table `steps`, in its order.
ResultTable StepLossTable(const StepDatabase& db);
// The causes of idle time by time, in an average step: those of a class sum to the loss.
// O(causes log causes).
ResultTable IdleByCauseTable(const Trace& trace, const StepDatabase& db);
// The causes of idle time, step by step: the longest 20,000. The title says if there are more.
// O(causes log device steps).
ResultTable IdleCauseTable(const Trace& trace, const StepDatabase& db);

}  // namespace stepscope
