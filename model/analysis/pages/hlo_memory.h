// HloMemory: how a program of XLA fills a memory while it runs (docs/rules.md#hlo-memory). In: the
// program's buffer assignment. Out: HloMemory, and the page `hlo_memory`. Bytes. Values; any
// thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/analysis/tables/schema.h"
#include "model/xla/buffer_heap.h"

namespace stepscope {

// One memory of one program.
struct HloPlace {
  SharedText program;  // "jit_step(10)"
  int64_t space = 0;
};

struct HloPlaceSums : HloPlace {
  SharedText memory;  // "main memory"
  int64_t peak = 0, unpadded_peak = 0, total = 0, indefinite = 0, parameters = 0, live_out = 0;
};

struct HloHeapPoint : HloPlace {
  int64_t index = 0;  // the position in the program's order
  SharedText instruction;
  int64_t bytes = 0, unpadded = 0;
};

struct HloBuffer : HloPlace {
  int64_t id = -1;  // -1: the sum of small ones
  SharedText name;  // "fusion.3{1}"
  int64_t bytes = 0, unpadded = 0;
  SharedText shape = {}, opcode = {}, op_name = {}, source = {};
  SharedText group = {};                         // of at_peak: "Parameter", "Temporary"
  std::optional<int64_t> first = {}, last = {};  // of buffers: positions in the heap
  std::optional<int64_t> offset = {};            // of buffers: in its allocation

  // The instruction of the name: "fusion.3".
  std::string_view instruction() const;
};

// A box of the picture of a heap.
struct HloBlock {
  int64_t buffer_id = -1;  // -1: the allocation that contains the boxes after it
  SharedText name;
  int64_t offset = 0, size = 0;
  xla::BufferSpan span;
};

struct HloAllocation {
  int64_t index = 0, size = 0;
  SharedText kind;
  bool indefinite = false;
  uint64_t buffers = 0;
  SharedText largest;  // buffer
};

struct HloMemory {
  std::string why_not;  // why there is none; "" if there is
  uint64_t program_id = 0;
  HloPlaceSums place;                            // the chosen one; its sums are in `heap`
  std::shared_ptr<const xla::HloModule> module;  // `heap` points into it
  xla::BufferHeap heap;
  std::vector<HloPlaceSums> programs;  // all memories of all programs
  // These are of the chosen memory; a report of several memories has those of all.
  std::vector<HloBuffer> at_peak, buffers;  // the largest first
  std::vector<HloHeapPoint> points;
  // These are of the chosen memory only.
  std::vector<HloBlock> blocks;
  std::vector<HloAllocation> allocations;

  // The buffers that are live at a position of the heap, the largest first: those that are there
  // the whole time, and those whose life contains it.
  std::vector<HloBuffer> LiveAt(int64_t position) const;

  static HloMemory Compute(AnalysisContext& context, const AnalysisParams& params);
};

// A table of HloMemory::buffers, or of some of them.
Schema<HloBuffer> HloBufferSchema(const char* id, const char* title);

}  // namespace stepscope
