// BufferHeap: how full one memory space is while a program runs, from its buffer assignment: XLA's
// heap simulator replayed (docs/rules.md#hlo-memory). Bytes. Pure. O(heap events + buffers),
// without recursion.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/xla/hlo_module.h"

namespace stepscope::xla {

// Positions in the points of a heap, both included.
struct BufferSpan {
  uint32_t first = 0, last = 0;
};

struct HeapPoint {
  int64_t bytes = 0, unpadded = 0;  // before the event; indefinite buffers included
  std::string_view instruction;     // at whose place in the program; empty at the end
};

// A box of the picture of a heap: when a buffer has which bytes.
struct HeapBlock {
  uint32_t buffer = kNone;  // kNone: the allocation that contains the boxes that follow
  int64_t offset = 0, size = 0;
  BufferSpan span;
};

struct PeakBuffer {
  uint32_t buffer = 0;
  const BufferAllocation* allocation = nullptr;  // null if it has none
};

struct BufferHeap {
  std::vector<HeapPoint> points;  // empty: the space has no temporary buffers
  size_t peak_position = 0;       // in points
  int64_t peak = 0, unpadded_peak = 0;
  std::vector<PeakBuffer> at_peak;               // indefinite ones first, then by begin
  std::vector<std::optional<BufferSpan>> spans;  // by index in BufferAssignment::buffers
  std::vector<HeapBlock> blocks;
  int64_t total = 0;       // of all allocations, but those of threads
  int64_t indefinite = 0;  // of parameters, constants and what may be live out
  int64_t parameters = 0, live_out = 0, non_reusable = 0;
};

// kFirst: as XProf, only the trace of the first temporary allocation, and no indefinite buffers at
// the peak of other spaces than 0. kAll: all of the space.
enum class HeapTraces : uint8_t { kAll, kFirst };
BufferHeap ReplayHeap(const HloModule& module, int64_t memory_space, HeapTraces traces);

// The memory spaces that allocations are in, ascending.
std::vector<int64_t> MemorySpacesOf(const HloModule& module);
// "fusion.3", "fusion.3{1}".
std::string NameOf(const HloModule& module, const LogicalBuffer& buffer);
// Parameter, Output, Constant or Temporary.
std::string_view GroupOf(const BufferAllocation* allocation);

// The instruction whose buffer holds the value of one that has none: the operand that it hands on
// (an element of a tuple, a bitcast, the end of an asynchronous op), or the fusion that it is part
// of. kNone: it has a buffer itself, or nobody's is known. O(instructions).
uint32_t BufferHolderOf(const HloModule& module, uint32_t instruction);

// The most vector memory (VMEM) that one instruction of a TPU reserves for itself, which no buffer
// assignment has. 0 and "" if none does.
struct ScopedMemory {
  int64_t bytes = 0;
  std::string_view instruction;
};
ScopedMemory LargestScopedVmem(const HloModule& module);

}  // namespace stepscope::xla
