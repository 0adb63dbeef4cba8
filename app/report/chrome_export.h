// A trace, or a part of it, as Chrome JSON (docs/interface.md#export), for Perfetto, for Chrome and
// for this program, where it has the same processes, threads, events, arguments and times.
#pragma once

#include "model/base/status.h"
#include "model/base/text_sink.h"
#include "model/trace.h"

namespace stepscope {

// Events that touch the range are whole; an empty range is the whole trace. Written event by event,
// arguments are read in parallel. kIo: arguments cannot be read; what was written is no whole file.
// O(events log lanes of a track)
Status WriteChromeTrace(const Trace& trace, TimeRange range, const TextSink& sink);

}  // namespace stepscope
