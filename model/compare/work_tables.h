// Tables of what runs on the devices of both profiles (`ops`, `kernels`, `copies`, `collectives`)
// and of why the devices are idle (`idle_causes`). Pure.
#pragma once

#include "model/compare/compare_table.h"
#include "model/compare/step_items.h"

namespace stepscope::compare {

// Rows with the largest change come first. A table without rows is
// left out. O(n log n) for n items. AddWorkTables returns whether there is a table of kernels.
bool AddWorkTables(const StepItems& a, const StepItems& b, AnalysisResult* to);
void AddIdleTable(const StepItems& a, const StepItems& b, AnalysisResult* to);

}  // namespace stepscope::compare
