// Tables of what the panels of both runs say: input operations and memory. Pure.
#pragma once

#include <stop_token>

#include "model/compare/compare_table.h"
#include "model/compare/run_facts.h"

namespace stepscope {

// Self times of input operations, of an average step. Nothing where neither run has any.
void AddInputTable(const ComparedRun& a, const ComparedRun& b, CompareResult* to,
                   std::stop_token stop);
// Peaks of allocators, what was live at them by region, and the allocations that make the change.
void AddMemoryTables(const ComparedRun& a, const ComparedRun& b, CompareResult* to,
                     std::stop_token stop);

}  // namespace stepscope
