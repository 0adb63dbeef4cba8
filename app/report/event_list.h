// The list of events that `stepscope events` writes (docs/interface.md#events): one row for each
// event, by begin, then track. It is written row by row and never in memory as a whole. O(events
// log lanes).
#pragma once

#include "model/analysis/steps/scope.h"
#include "model/base/status.h"
#include "model/base/text_sink.h"
#include "model/query/event_stats.h"
#include "model/query/row_bits.h"
#include "model/trace.h"

namespace stepscope {

class FlowIndex;  // model/analysis/grouping/flow_index.h

struct EventListInput {
  const Trace* trace = nullptr;
  const RowBits* rows = nullptr;     // null: all
  const Scope* scope = nullptr;      // only events that begin in it
  bool args = false;                 // with all arguments
  bool wide = false;                 // text: however long the lines
  const FlowIndex* flows = nullptr;  // how events were launched; null: not asked for
};

// Writes {"events": [{"begin_ps", ..., "args": {}}]}. kIo, here and below: arguments cannot be
// read, and the list is cut off.
Status WriteEventsJson(const EventListInput& input, const TextSink& sink);
Status WriteEventsCsv(const EventListInput& input, const TextSink& sink);
// Writes lines of at most 100 columns for people, with arguments on lines of their own below the
// event. Escape sequences in names are escaped.
Status WriteEventsText(const EventListInput& input, const TextSink& sink);

// Writes {"total": ROW, "groups": [ROW]}.
void WriteStatsJson(const EventStatsReport& report, const TextSink& sink);
// Writes the groups, without the total.
void WriteStatsCsv(const EventStatsReport& report, const TextSink& sink);
// Writes total and groups for people: rounded, with units.
void WriteStatsText(const EventStatsReport& report, const TextSink& sink);

}  // namespace stepscope
