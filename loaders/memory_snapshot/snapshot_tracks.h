// Builds the tracks of a memory snapshot: for each device, counters of allocated and reserved
// bytes, the program's annotations, and what the allocator asked of the device (segments, out of
// memory).
#pragma once

#include <memory>
#include <stop_token>

#include "model/allocator_history.h"
#include "model/trace_builder.h"

namespace stepscope::snapshot {

// Most samples of a counter; model/analysis/intervals/held_value_series.h says how it is thinned.
inline constexpr size_t kMostCounterPoints = 131'072;

void AddTracks(const AllocatorHistory& history, HostId host, const std::stop_token& stop,
               TraceBuilder* builder);

// The arguments of the events that AddTracks makes: size, address, stream, stack. Thread-safe.
std::shared_ptr<const StatSource> MakeStatSource(std::shared_ptr<const AllocatorHistory> history);

}  // namespace stepscope::snapshot
