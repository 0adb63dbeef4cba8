// Finds the events that a query asks for. It checks names and categories once for each
// metadata, and tracks and planes once each. One pass over the events then compares metadata
// and durations. It reads arguments last, and only of events that answer everything else.
// Uses several threads; any thread may call.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/status.h"
#include "model/query/event_query.h"
#include "model/query/row_bits.h"
#include "model/trace.h"

namespace stepscope {

class AnalysisContext;  // model/analysis/analysis.h

// The matching events of one set of a trace, its own or a derived one. A derived event has the
// arguments of the event it comes from. `stats`: tables that together hold the typed stats of all
// events, if the caller has them; they save reading arguments. Errors: kIo if arguments cannot be
// read. O(names + tracks + events), and one read for each event whose arguments are asked for.
Result<RowBits> FindEvents(const EventQuery& query, const Trace& trace, const TrackSet& set,
                           std::span<const StatTable* const> stats = {});

// The `cat` of a Chrome trace's events as the file has it, by MetaId. Empty texts for other formats
// and for events without a category. Reads one event of each metadata. O(events).
std::vector<std::string> FileCategories(const Trace& trace);

// "kernel", "gpu_memcpy", "cpu_op": PyTorch's name of a category, else ours; empty if unknown.
std::string_view CategoryNameOf(EventCategory category);

// Events of the trace's own set. Nothing for a query without terms, which every event answers. If
// the query asks about arguments, typed stats are read first: that takes a tenth of the time of
// reading each event's arguments. Error: kIo if arguments cannot be read. O(names + events).
Result<std::optional<RowBits>> FindAsked(AnalysisContext& context, const EventQuery& query);

}  // namespace stepscope
