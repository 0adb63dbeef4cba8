// Reads counter lines ("_counters_"): one series per counter, from the number that each event
// carries. One thread.
#pragma once

#include <stop_token>

#include "loaders/xplane/scan/file_scan.h"
#include "model/trace_builder.h"

namespace stepscope::xplane {

// Fills data->track.counters from the stats of the track's events, which stay in the track. `names`
// gives the event names by MetaId. kIo, kCancelled. O(bytes of the events).
Status ReadCounters(const ByteSource& source, const PlaneParts& plane, NameTable* names,
                    TrackData* data, XspaceDiagnostics* diagnostics, const std::stop_token& stop);

}  // namespace stepscope::xplane
