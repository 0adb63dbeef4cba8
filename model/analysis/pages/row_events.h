// The events behind a row of a table, as JSON and CSV list them.
#pragma once

#include <string_view>
#include <vector>

#include "model/analysis/tables/result_table.h"
#include "model/trace.h"

namespace stepscope {

struct RowEvent {
  TimeRange time;
  std::string_view track;  // views the trace
};

// The trace's events behind the row; none if the row has no link. O(events log lanes).
std::vector<RowEvent> EventsOfRow(const Trace& trace, const ResultTable& table, size_t row);

// The column of the result's table whose cells count the events that data lists, as `findings`
// has; -1: none.
int EventColumn(const AnalysisResult& result, const ResultTable& table);

}  // namespace stepscope
