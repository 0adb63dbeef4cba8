// Memory profile: what each allocator held over time, at its peak, and at any time
// (docs/rules.md#memory). ComputeMemory is a pure function, O(n log n) in memory events; snapshots
// take 56 bytes each.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/time.h"

namespace stepscope {

struct MemorySnapshot {
  Ps time = 0;  // true start; with XProf's definitions the offset within its line
  int64_t stack = 0, heap = 0, free = 0;  // bytes after the event: reserved, allocated, available
  int64_t address = 0;
  int64_t bytes = 0;  // of this allocation or deallocation, as the allocator rounded it
  uint32_t row = 0;   // the event
  uint32_t op = 0;    // StringId of its op: OpOf
  int32_t step = -1;  // XProf's step id
  bool allocation = false;
  bool op_in_trace = false;  // the id is one of the trace's names, not of the StatTable's strings
  int64_t in_use() const { return stack + heap; }
};

struct AllocatorProfile {
  HostId host;
  std::string id;                         // allocator_name: "GPU_0_bfc"
  std::vector<MemorySnapshot> snapshots;  // by time
  // Those of the part of the trace that was asked for: [begin, end), not empty. The others tell
  // what was live before, and when it was freed.
  size_t begin = 0, end = 0;
  size_t peak = 0;       // of the part, the snapshot with the most in use
  int64_t capacity = 0;  // PyTorch: the device's memory, 0 if unknown; else in use and free at peak
  int64_t lifetime_peak = 0;
  int64_t reserved_peak = 0;  // PyTorch: the most reserved from the device; else 0
};

struct MemoryProfile {
  std::vector<AllocatorProfile> allocators;  // by host, then id
};

// Allocations of one op, size, region, type and shape that are live together.
struct LiveAllocation {
  std::string op, region, type, shape;
  int64_t allocated = 0, requested = 0;  // bytes of each
  uint64_t count = 1;
  std::vector<EventRow> rows;  // MemoryAllocation events; empty for the special rows

  int64_t total() const { return SaturatingMul(allocated, static_cast<int64_t>(count)); }
};

// Allocators with events in the part of the trace that params name.
MemoryProfile ComputeMemory(AnalysisContext& context, const AnalysisParams& params,
                            std::stop_token stop);

// The op that an event is of: what it says itself (tf_op), with PyTorch the op that encloses it.
std::string_view OpOf(AnalysisContext& context, const MemorySnapshot& snapshot);

// What was live right after snapshots[index], largest total first. Bytes in use that no recorded
// allocation explains are one row, the stack another. XProf's definitions look at the snapshot's
// step only, and sort by the size of one. O(index). Stopped, it returns nothing.
std::vector<LiveAllocation> ActiveAt(AnalysisContext& context, const AllocatorProfile& allocator,
                                     size_t index, const std::stop_token& stop = {});
// Index of the last snapshot at or before t; the first if none. O(log n). Snapshots must not be
// empty.
size_t SnapshotAt(const AllocatorProfile& allocator, Ps t);
// At most `boxes` indices of the part, the largest in use of each box of neighbours (XProf's max
// box filter).
std::vector<size_t> SampleSnapshots(const AllocatorProfile& allocator, size_t boxes);
// The bytes an event asked for and got, negative for a deallocation's; and the names of
// TensorFlow's DataType enum.
std::string DataTypeName(int64_t type);

}  // namespace stepscope
