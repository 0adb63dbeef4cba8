// Tables of what runs on devices in both runs: ops, kernels, copies, collectives; and of why they
// idle. Pure.
#pragma once

#include "model/compare/compare_table.h"
#include "model/compare/run_items.h"

namespace stepscope {

// Each sorted by the size of the change. Nothing where neither run has any.
void AddWorkTables(const RunItems& a, const RunItems& b, CompareResult* to);
void AddIdleTable(const RunItems& a, const RunItems& b, CompareResult* to);

}  // namespace stepscope
