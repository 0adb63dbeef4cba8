// How one device event was launched: what the details of an event and `stepscope events --args` say
// of it. The table `launch_delay` (device_launches.h) has the same times of all launches.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/analysis/grouping/flow_index.h"
#include "model/trace.h"

namespace stepscope {

inline constexpr size_t kMostLaunchStack = 12;  // a stack keeps the innermost

struct LaunchFacts {
  EventRow call;  // the call of the runtime that launched the event
  // From the end of the call to the begin of the event; 0 if the event begins before that end.
  Ps delay = 0;
  // Events on the event's lane that begin after the call begins and before the event does.
  uint64_t queue_length = 0;
  std::vector<EventRow> stack;  // the host events around the call, innermost first
};

// Empty for an event whose launch is unknown. `row` is a row of the trace's own set. Any thread.
// O(log n)
std::optional<LaunchFacts> FindLaunchFacts(const Trace& trace, const FlowIndex& flows,
                                           EventRow row);

}  // namespace stepscope
