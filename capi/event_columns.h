// The list of events as an ArrowTable, with the events and the order of `stepscope events`.
#pragma once

#include <memory>

#include "capi/arrow_table.h"
#include "model/analysis/steps/scope.h"
#include "model/base/status.h"
#include "model/query/row_bits.h"
#include "model/trace.h"

namespace stepscope {

struct EventsQuestion {
  const Trace* trace = nullptr;
  const RowBits* rows = nullptr;  // null: all
  const Scope* scope = nullptr;   // only events that begin in it
  bool args = false;              // with a column of arguments
  bool by_track = false;          // lane by lane instead of by begin, in a third of the time
  size_t batch_events = 0;        // events in a batch, roughly; 0: a number that is quick
};

// Returns the columns of stepscope_events() (capi/stepscope.h), in batches that are made in
// parallel on all cores. kIo: arguments cannot be read; kLimit: a batch has more arguments than
// its column can count. O(events log lanes); about 36 bytes an event.
Result<std::shared_ptr<const ArrowTable>> EventTable(const EventsQuestion& question);

}  // namespace stepscope
