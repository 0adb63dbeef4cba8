// A part of a trace as a trace of its own: the events that touch a range, or those of one host. It
// shares columns and source with the original, which lives as long as the part.
#pragma once

#include <memory>
#include <stop_token>

#include "model/trace.h"

namespace stepscope {

// Events that touch the range are kept whole, counters have the sample before it as well, and
// arrows need both ends. An empty range is the whole trace; an invalid host is all hosts. Tracks
// that lose all they had and planes of other hosts are left out, and the diagnostics say that it is
// a part. Null after a stop. O(lanes + references of the part + names where it is of one host).
std::shared_ptr<const Trace> PartOfTrace(std::shared_ptr<const Trace> trace, TimeRange range,
                                         HostId host, const std::stop_token& stop = {});

}  // namespace stepscope
