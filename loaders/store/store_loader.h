// Several traces as one, such as the ranks of a job that have a store each.
#pragma once

#include <memory>
#include <stop_token>
#include <vector>

#include "model/trace.h"
#include "model/trace_builder.h"

namespace stepscope {

// Fills the builder, which must be new but for path, run and skipped files, with the hosts, planes,
// tracks and events of all parts, in order. Times count from the earliest origin; a part whose
// origin is not known, or more than 30 days from that, keeps its times. The events' durations and
// arguments stay where they are: the trace keeps the parts. Memory: a time and a name for each
// event. O(events + names). Nothing is complete after a stop.
void JoinTraces(std::vector<std::shared_ptr<const Trace>> parts, const std::stop_token& stop,
                TraceBuilder* builder);

}  // namespace stepscope
