// The events behind a row of a table, as data lists them.
#pragma once

#include <string_view>
#include <vector>

#include "model/analysis/result_table.h"
#include "model/trace.h"

namespace stepscope {

struct RowEvent {
  TimeRange time;
  std::string_view track;  // lives as long as the trace
};

// Of the trace's own; none where the row has no link. O(events log lanes)
std::vector<RowEvent> EventsOfRow(const Trace& trace, const ResultTable& table, size_t row);

// The column of a result's table whose cells count the events that data lists: that of findings.
// -1: it has none.
int EventColumn(const AnalysisResult& result, const ResultTable& table);

}  // namespace stepscope
