// What a query asks of the arguments of one event, and a quick look by typed stats for events that
// cannot answer it.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "model/query/event_query.h"
#include "model/query/row_bits.h"
#include "model/stats.h"

namespace stepscope {

// Whether one of the stats has the key and the value. `-` is left to the caller. O(stats)
bool AnswersArgument(const QueryTerm& term, std::span<const Stat> stats);

// Rows of the trace's own set that may answer the term, which is not negated; nothing where the
// typed stats do not tell. O(rows of the column)
std::optional<RowBits> RowsByTypedStats(const QueryTerm& term, const StatTable& stats,
                                        uint32_t rows);

}  // namespace stepscope
