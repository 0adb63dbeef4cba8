// Finds the events of a profile that answer a query, with the typed stats of its AnalysisContext.
#pragma once

#include <optional>

#include "model/analysis/analysis.h"
#include "model/base/status.h"
#include "model/query/event_query.h"
#include "model/query/row_bits.h"

namespace stepscope {

// Events of the trace's own set. Nothing for a query without terms, which every event answers. If
// the query asks about arguments, typed stats are read first: that takes a tenth of the time of
// reading each event's arguments. Error: kIo if arguments cannot be read. O(names + events).
Result<std::optional<RowBits>> FindAsked(AnalysisContext& context, const EventQuery& query);

}  // namespace stepscope
