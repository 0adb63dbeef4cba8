// Tables of analyses as ArrowTables: the cells that `report --format json` writes.
#pragma once

#include <memory>

#include "capi/arrow_table.h"
#include "model/analysis/result_table.h"
#include "model/trace.h"

namespace stepscope {

// A column's kind follows from its cells: integers, numbers, flags, else texts; where all are empty
// it is what the column says. Numbers that are not finite are null, as in JSON. `events`: the
// column of the table, or -1, that lists the events of the trace that its rows link to.
// O(cells + events listed)
std::shared_ptr<const ArrowTable> ToArrow(const ResultTable& table, int events = -1,
                                          const Trace* trace = nullptr);

// One row, a column for each.
ResultTable PropertyTable(const AnalysisResult& result);
// grade, text, next_step, panel.
ResultTable VerdictTable(const AnalysisResult& result);

}  // namespace stepscope
