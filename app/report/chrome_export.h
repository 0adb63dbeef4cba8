// Writes a trace, or a part of it, as Chrome JSON (docs/interface.md#export), for Perfetto and
// Chrome. When this program reads the file again, it finds the same processes, threads, events,
// arguments and times.
#pragma once

#include "model/base/status.h"
#include "model/base/text_sink.h"
#include "model/trace.h"

namespace stepscope {

// Events that touch the range are written whole; an empty range is the whole trace. The sink gets
// the text event by event; arguments are read in parallel. kIo: arguments cannot be read, and the
// text is cut off. O(events log lanes of a track).
Status WriteChromeTrace(const Trace& trace, TimeRange range, const TextSink& sink);

}  // namespace stepscope
