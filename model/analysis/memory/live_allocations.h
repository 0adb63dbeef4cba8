// The memory that an allocator held at a moment, by the allocations that were live then
// (docs/rules.md#memory).
// Allocations as boxes of a chart: a box lasts from allocation to deallocation, is as high as the
// allocation is large, and overlaps no other. Pure functions; any thread may call them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/analysis/memory/memory_profile.h"

namespace stepscope {

// Allocations of one op, size, region, type and shape that are live together.
struct LiveAllocation {
  std::string op, region, type, shape;
  int64_t allocated = 0, requested = 0;  // bytes of each
  uint64_t count = 1;
  EventRows rows;  // MemoryAllocation events; empty for the special rows

  int64_t total() const { return SaturatingMul(allocated, static_cast<int64_t>(count)); }
};

// The memory that was live right after snapshots[index], the largest total first. Bytes in use that
// no recorded allocation explains are one row, the stack is another. With XProf's definitions only
// the snapshot's step counts, and rows are sorted by the size of one allocation. O(index).
std::vector<LiveAllocation> ActiveAt(AnalysisContext& context, const AllocatorProfile& allocator,
                                     size_t index);
// The name of a value of TensorFlow's DataType enum: "float", "half_ref", "type 77".
std::string DataTypeName(int64_t type);

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
