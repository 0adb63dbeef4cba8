// How a device's memory lay at a moment of a memory snapshot: its segments, what of each was
// allocated, and how scattered the rest was. Pure; any thread.
#pragma once

#include <cstdint>
#include <vector>

#include "model/allocator_history.h"
#include "model/analysis/result_table.h"

namespace stepscope {

// Memory that the allocator had taken from the device.
struct SegmentState {
  uint64_t address = 0;
  int64_t bytes = 0;
  int64_t allocated = 0;     // of allocations that begin in it
  int64_t largest_free = 0;  // the longest stretch between them
  int64_t free_parts = 0;    // such stretches
  int64_t allocations = 0;
  const AllocatorSegment* at_end = nullptr;  // the one of the snapshot that it lies in, if it does

  int64_t free() const { return bytes > allocated ? bytes - allocated : 0; }
};

// After an event of the device, by address. Found by undoing what was taken and given back from the
// end on: what is there at the end is known. Parts of an expandable segment that touch are one.
// O((events + segments + allocations) log of them)
std::vector<SegmentState> SegmentsAt(const AllocatorHistory& history, const AllocatorDevice& device,
                                     uint32_t event);

// Columns address, type, stream, pool, bytes, allocated_bytes, free_bytes, largest_free_bytes,
// free_parts, allocations, fragmentation.
ResultTable SegmentStateTable(const AllocatorHistory& history,
                              const std::vector<SegmentState>& segments, const char* id,
                              const char* title);

}  // namespace stepscope
