// Tables of analyses as ArrowTables, with the cells that `report --format json` writes. Any
// thread may call everything here.
#pragma once

#include <memory>

#include "capi/arrow_table.h"
#include "model/analysis/tables/result_table.h"
#include "model/trace.h"

namespace stepscope {

// The type of a column follows from its cells: integers, numbers, flags, else texts; if all are
// empty, the column says it. Numbers that are not finite are null, as in JSON. `events` is the
// column, or -1, that becomes a list of the events of `trace` that the rows link to. O(cells +
// events listed).
std::shared_ptr<const ArrowTable> ToArrow(const ResultTable& table, int events = -1,
                                          const Trace* trace = nullptr);

// One row, with a column for each property.
ResultTable PropertyTable(const AnalysisResult& result);
// A row for each verdict, with the columns grade, text, next_step and panel.
ResultTable VerdictTable(const AnalysisResult& result);

}  // namespace stepscope
