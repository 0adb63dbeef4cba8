// The list of events that `stepscope events` writes (docs/interface.md#events): one row an event,
// by begin, then track. Written row by row: no list is in memory as a whole.
#pragma once

#include "model/analysis/scope.h"
#include "model/base/status.h"
#include "model/base/text_sink.h"
#include "model/query/row_bits.h"
#include "model/trace.h"

namespace stepscope {

struct EventListInput {
  const Trace* trace = nullptr;
  const RowBits* rows = nullptr;  // null: all
  const Scope* scope = nullptr;   // events that begin in it
  bool args = false;              // with all arguments
  bool wide = false;              // text: however long the lines
};

// kIo: arguments cannot be read; what was written up to there is no whole list.
// {"events": [{"begin_ps", ..., "args": {}}]}
Status WriteEventsJson(const EventListInput& input, const TextSink& sink);
Status WriteEventsCsv(const EventListInput& input, const TextSink& sink);
// For people and terminals: lines of at most 100 columns, arguments on lines of their own below
// the event; what a terminal would obey in a name is escaped.
Status WriteEventsText(const EventListInput& input, const TextSink& sink);

}  // namespace stepscope
