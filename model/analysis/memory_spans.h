// Allocations as boxes of time and size, for a chart: from allocation to deallocation, as high as
// they are large, none on top of another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/analysis/memory_profile.h"

namespace stepscope {

struct AllocationSpan {
  Ps begin = 0, end = 0;  // end: of the recording, unless freed
  int64_t bytes = 0;      // as the allocator rounded it
  int64_t offset = 0;     // bytes of other boxes below it
  uint32_t snapshot = 0;  // of the allocation, in AllocatorProfile::snapshots
  uint32_t row = 0;       // its event
  uint32_t op = 0;        // index of AllocationBoxes::ops
  bool freed = false;
};

// Every allocation until the deallocation of the same address, not placed, in the order of
// snapshots. One whose address is allocated again before is never freed. O(n).
std::vector<AllocationSpan> SpansOf(const AllocatorProfile& allocator);

struct AllocationBoxes {
  std::vector<AllocationSpan> spans;  // by begin
  std::vector<std::string> ops;       // by bytes times time, most first
  int64_t top = 0;                    // highest offset plus bytes
  size_t left_out = 0;                // allocations that are not among the spans
};

// The `most` allocations with the largest product of bytes and time, placed by first fit in the
// order of time. O(n log n + most * those open at a time).
AllocationBoxes MakeAllocationBoxes(AnalysisContext& context, const AllocatorProfile& allocator,
                                    size_t most);

}  // namespace stepscope
