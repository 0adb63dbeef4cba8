// Divides the steps of a program without devices into losses (docs/rules.md#losses).
#pragma once

#include "model/analysis/grouping.h"
#include "model/analysis/steps.h"

namespace stepscope {

// Fills the losses of the database's steps, and its causes. Steps that overlap get none.
// O(events log events).
void AddHostLosses(const Trace& trace, const StatTable& stats, const Grouping& grouping,
                   StepDatabase* db);

}  // namespace stepscope
