// How a query's term about arguments is answered: for one event by its arguments, or for many at
// once by typed stats, which rule out most events quickly. Pure; any thread.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "model/query/event_query.h"
#include "model/query/row_bits.h"
#include "model/stats.h"

namespace stepscope {

// Whether one of an event's stats has the key and the value of the
// term. Ignores `negated`. O(stats).
bool AnswersArgument(const QueryTerm& term, std::span<const Stat> stats);

// The rows of the trace's own set that may answer the term, which must not be negated. Nothing if
// the typed stats do not have the argument. O(rows of its column).
std::optional<RowBits> RowsByTypedStats(const QueryTerm& term, const StatTable& stats,
                                        uint32_t rows);

}  // namespace stepscope
