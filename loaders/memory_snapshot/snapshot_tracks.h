// The tracks of a memory snapshot: for each device counters of allocated and reserved bytes, what
// the program annotated, and what the allocator did with the device (segments, out of memory).
#pragma once

#include <memory>
#include <stop_token>

#include "model/allocator_history.h"
#include "model/trace_builder.h"

namespace stepscope::snapshot {

// Counters have at most so many points (model/analysis/step_series.h says how they are thinned).
inline constexpr size_t kMostCounterPoints = 131'072;

void AddTracks(const AllocatorHistory& history, HostId host, const std::stop_token& stop,
               TraceBuilder* builder);

// What the events of AddTracks say of themselves: size, address, stream, stack.
std::shared_ptr<const StatSource> MakeStatSource(std::shared_ptr<const AllocatorHistory> history);

}  // namespace stepscope::snapshot
