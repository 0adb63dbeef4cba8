// The list of events as an ArrowTable: what `stepscope events` lists, in its order.
#pragma once

#include <memory>

#include "capi/arrow_table.h"
#include "model/analysis/scope.h"
#include "model/base/status.h"
#include "model/query/row_bits.h"
#include "model/trace.h"

namespace stepscope {

struct EventsQuestion {
  const Trace* trace = nullptr;
  const RowBits* rows = nullptr;  // null: all
  const Scope* scope = nullptr;   // events that begin in it
  bool args = false;              // with a column of arguments
  bool by_track = false;          // lane by lane in place of by begin: a third of the time
  size_t batch_events = 0;        // about so many in a batch; 0: as many as are quick
};

// Columns as stepscope_events() has them, in batches that are made in parallel. kIo: arguments
// cannot be read; kLimit: there are too many in one batch. O(events log lanes) time, about 36 bytes
// an event.
Result<std::shared_ptr<const ArrowTable>> EventTable(const EventsQuestion& question);

}  // namespace stepscope
