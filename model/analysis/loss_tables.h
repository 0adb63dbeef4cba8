// Tables of what steps lose: the losses by size, and why devices are idle. Pure.
#pragma once

#include "model/analysis/result_table.h"
#include "model/analysis/verdict.h"

namespace stepscope {

const char* LabelOf(LossClass c);  // as people read it, where IdOf is for scripts
// `whole`: no step was found, the recording stands for one.
ResultTable LossTable(const Verdict& verdict, bool whole = false);
// What each step goes into: a row for each of the table `steps`, in its order.
ResultTable StepLossTable(const StepDatabase& db);
// Of more than 20,000 causes the longest; the title says so then. O(causes log device steps).
ResultTable IdleCauseTable(const Trace& trace, const StepDatabase& db);

}  // namespace stepscope
