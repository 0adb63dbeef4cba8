// What the timeline shows between two times, added up by name and by kind of track. Pure; any
// thread.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>

#include "model/analysis/result_table.h"
#include "model/trace.h"

namespace stepscope {

struct VisibleEvents {
  uint64_t events = 0, tracks = 0;  // in the range; tracks that have any
  // name, self_us, share, total_us, count, mean_us; most self time first. Times count as far as
  // they lie in the range; the mean is that of whole events. Self time is that of no event inside.
  ResultTable names;
  ResultTable kinds;  // kind, count, busy_us: by kind of track, the busiest first
};

// Of the trace's recorded events that touch the range, on one host or all (empty). Stops early
// with what it has when told to. O(events in the range + names)
VisibleEvents AddUpVisible(const Trace& trace, TimeRange range, const std::string& host,
                           const std::stop_token& stop);

}  // namespace stepscope
