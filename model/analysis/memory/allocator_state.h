// The state of a device's memory at a moment of a memory snapshot: its segments, how much of each
// was allocated, and how scattered the rest was. Pure functions; any thread may call them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/allocator_history.h"
#include "model/analysis/tables/result_table.h"

namespace stepscope {

// A stretch of memory that the allocator had taken from the device.
struct SegmentState {
  uint64_t address = 0;
  int64_t bytes = 0;
  int64_t allocated = 0;     // bytes of the allocations that begin in it
  int64_t largest_free = 0;  // bytes of the longest stretch between them
  int64_t free_parts = 0;    // number of such stretches
  int64_t allocations = 0;
  const AllocatorSegment* at_end = nullptr;  // the snapshot's segment around it, or null

  int64_t free() const { return bytes > allocated ? bytes - allocated : 0; }
  // 1 - largest free stretch / free bytes; none where nothing is free.
  std::optional<double> fragmentation() const {
    if (free() <= 0) return std::nullopt;
    return 1 - static_cast<double>(std::min(largest_free, free())) / static_cast<double>(free());
  }
};

// The segments after an event of the device, by address. The end is known, so later events are
// undone from there. Parts of an expandable segment that touch are one segment. O(n log n) in
// events, segments and allocations.
std::vector<SegmentState> SegmentsAt(const AllocatorHistory& history, const AllocatorDevice& device,
                                     uint32_t event);

// Columns address, type, stream, pool, bytes, allocated_bytes, free_bytes, largest_free_bytes,
// free_parts, allocations, fragmentation.
ResultTable SegmentStateTable(const AllocatorHistory& history,
                              const std::vector<SegmentState>& segments, const char* id,
                              const char* title);

}  // namespace stepscope
