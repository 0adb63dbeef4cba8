// ShiftHosts: the same trace with the clocks of its hosts set, so that what happened together
// stands together. Events, rows, names, tracks and ids are those of the original; only times
// differ. The result shares all columns but the begins with the original, which it keeps alive, and
// takes 10 more bytes for each event.
#pragma once

#include <memory>
#include <span>

#include "model/trace.h"

namespace stepscope {

// Takes offsets[h] from all times of host h; hosts beyond the end of `offsets` stay. An offset that
// would lead beyond the range of Ps is cut. Any thread. O(events).
std::shared_ptr<const Trace> ShiftHosts(std::shared_ptr<const Trace> trace,
                                        std::span<const Ps> offsets);

// The time that was taken from a host's times, which its planes have as a stat; 0: none. O(planes).
Ps ClockOffsetOf(const Trace& trace, HostId host);

}  // namespace stepscope
