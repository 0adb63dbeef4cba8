// Items of programs whose device is the CPU: ops by their self time, idle time by its causes.
#pragma once

#include <stop_token>
#include <vector>

#include "model/compare/item_table.h"

namespace stepscope {

// Of each step the time in compute is divided among the ops that begin in it, by their self times:
// threads that run side by side share it. O(events log events).
void AddCpuItems(AnalysisContext& context, const StepDatabase& steps,
                 const std::vector<bool>& typical, ItemTable* table, std::stop_token stop);

}  // namespace stepscope
