// This folder says what allocators held. The memory profile here is made from allocation events
// of a trace (docs/rules.md#memory): what each allocator held over time, at its peak and at any
// time; live_allocations.h lists what was live and places allocations as boxes. The files named
// allocat* and stack_tree.h are about PyTorch's memory snapshots (docs/memory-snapshots.md); start
// with allocation_groups.h. ComputeMemory is a pure function, O(n log n) in memory events; a
// snapshot takes 48 bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/analysis/block_allocator.h"
#include "model/stats.h"
#include "model/time.h"

namespace stepscope {

struct MemorySnapshot {
  Ps time = 0;         // the event's start; with XProf's definitions its offset within the line
  int64_t in_use = 0;  // bytes after the event
  int64_t address = 0;
  int64_t bytes = 0;  // size of this allocation or deallocation, as the allocator rounded it
  uint32_t row = 0;   // the event
  uint32_t op = 0;    // StringId of its op, read by OpOf
  int32_t step = -1;  // XProf's step id
  bool allocation = false;
  bool op_in_trace = false;  // `op` is an id of the trace's names, not of the StatTable's strings
};

// The memory of an allocator after an event, in bytes: reserved, allocated, available. A snapshot's
// bytes in use are stack and heap.
struct MemoryParts {
  int64_t stack = 0, heap = 0, free = 0;
};

// Reads the parts of snapshots, which few places ask for: so they are not in each snapshot. Rows
// that ascend are quick, others take O(log n). Borrows the table. One thread at a time.
class MemoryPartsReader {
 public:
  explicit MemoryPartsReader(const StatTable& stats);  // AnalysisContext::allocation_stats()
  MemoryParts Of(const MemorySnapshot& snapshot);

 private:
  ColumnCursor<int64_t> reserved_, allocated_, available_;
  uint32_t last_ = 0;  // the row that was asked for last
};

using MemorySnapshots = std::vector<MemorySnapshot, BlockAllocator<MemorySnapshot>>;

struct AllocatorProfile {
  HostId host;
  std::string id;             // allocator_name: "GPU_0_bfc"
  MemorySnapshots snapshots;  // by time
  // The snapshots [begin, end) are in the part of the trace that was asked for; there is at least
  // one. The others tell what was live before, and when it was freed.
  size_t begin = 0, end = 0;
  size_t peak = 0;       // the snapshot of the part with the most in use
  int64_t capacity = 0;  // in use + free at the peak; PyTorch: the device's memory, 0 if unknown
  int64_t lifetime_peak = 0;
  // False: the file has no totals, and `in_use` is the sum of the recorded allocations.
  bool has_totals = true;
  int64_t reserved_peak = 0;  // PyTorch: the most reserved from the device; else 0
};

struct MemoryProfile {
  std::vector<AllocatorProfile> allocators;  // by host, then id

  static constexpr bool kLarge = true;
  // The allocators that have events in the part of the trace that params name.
  static MemoryProfile Compute(AnalysisContext& context, const AnalysisParams& params);
};

// The op of a memory event: the one that it names (tf_op), with PyTorch the op that encloses it.
std::string_view OpOf(AnalysisContext& context, const MemorySnapshot& snapshot);
// PyTorch's allocation events do not name their op. Returns the innermost op around the event that
// does more than allocate for the op that called it (aten::empty, aten::resize_), else the
// innermost one; 0 if there is none. O(depth log n).
StringId EnclosingOp(const Trace& trace, uint32_t row);

// Index of the last snapshot at or before t, else 0. The allocator must have snapshots. O(log n).
size_t SnapshotAt(const AllocatorProfile& allocator, Ps t);
// At most `boxes` indices of snapshots of the part: the one with the most in use of each box of
// neighbours (XProf's max box filter).
std::vector<size_t> SampleSnapshots(const AllocatorProfile& allocator, size_t boxes);
}  // namespace stepscope
