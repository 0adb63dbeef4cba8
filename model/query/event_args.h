// The arguments of one event.
#pragma once

#include <vector>

#include "model/base/status.h"
#include "model/trace.h"

namespace stepscope {

// One for each name: that of the event itself wins over its metadata's. Empty where the trace has
// no source. Any thread.
Result<std::vector<Stat>> ReadArgs(const Trace& trace, EventRow row);

}  // namespace stepscope
