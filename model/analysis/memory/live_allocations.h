// The memory that an allocator held at a moment, by the allocations that were live then
// (docs/rules.md#memory).
#pragma once

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

}  // namespace stepscope
