// Reads the arguments of one event.
#pragma once

#include <vector>

#include "model/base/status.h"
#include "model/trace.h"

namespace stepscope {

// One argument for each name: the event's own wins over that of its metadata. Empty if the trace
// has no source. Error: kIo if the source cannot be read. Any thread.
Result<std::vector<Stat>> ReadArgs(const Trace& trace, EventRow row);

}  // namespace stepscope
