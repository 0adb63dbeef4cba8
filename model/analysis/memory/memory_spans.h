// Allocations as boxes of a chart: a box lasts from allocation to deallocation, is as high as the
// allocation is large, and overlaps no other. Pure functions; any thread may call them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/analysis/memory/memory_profile.h"

namespace stepscope {

struct AllocationSpan {
  Ps begin = 0, end = 0;  // end: the recording's end, unless it is freed
  int64_t bytes = 0;      // as the allocator rounded it
  int64_t offset = 0;     // height of its lower edge, bytes
  uint32_t snapshot = 0;  // index of the allocation in AllocatorProfile::snapshots
  uint32_t row = 0;       // its event's row
  uint32_t op = 0;        // index of AllocationBoxes::ops
  bool freed = false;
};

// Every allocation, up to the deallocation of its address, in the order of snapshots, without
// offsets. If the address is allocated again first, the allocation lasts to the end of the
// recording. O(n).
std::vector<AllocationSpan> SpansOf(const AllocatorProfile& allocator);

struct AllocationBoxes {
  std::vector<AllocationSpan> spans;  // by begin
  std::vector<std::string> ops;       // by bytes * time, falling
  int64_t top = 0;                    // upper edge of the highest box, bytes
  size_t left_out = 0;                // number of allocations without a box
};

// Places the `most` allocations with the largest bytes * time by first fit in order of time. O(n
// log n + most * m), m of them open at a time.
AllocationBoxes MakeAllocationBoxes(AnalysisContext& context, const AllocatorProfile& allocator,
                                    size_t most);

}  // namespace stepscope
