// The analysis `memory`: what each allocator held over time, what was live at its peak, and how
// long allocations lived (docs/rules.md#memory).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/analysis/memory/live_allocations.h"

namespace stepscope {

// The lifetimes of an op's allocations: from an allocation to the deallocation of its address.
struct OpLifetimes {
  SharedText op;
  uint64_t freed = 0;
  Ps total = 0, min = kMaxPs, max = 0;  // of the freed ones
  int64_t bytes = 0;
  EventRows rows;  // of all allocations
};

struct AllocatorUse {
  struct Moment {  // after a memory event
    Ps time = 0;
    MemoryParts parts;
    double fragmentation = 0;
    uint32_t row = 0;  // the event
    int32_t step = -1;
    bool allocation = false;
    int64_t in_use = 0;
  };
  SharedText host, id;
  int64_t allocations = 0, deallocations = 0;
  int64_t capacity = 0;  // 0: unknown
  int64_t lifetime_peak = 0;
  int64_t reserved_peak = 0;  // PyTorch: the most reserved from the device; else 0
  Moment peak;
  std::vector<Moment> timeline;        // at most 1000, the fullest of neighbours
  std::vector<LiveAllocation> live;    // at the peak
  std::vector<OpLifetimes> lifetimes;  // empty with XProf's definitions
};

struct MemoryUse {
  std::vector<AllocatorUse> allocators;  // by host, then id
  bool pytorch = false;
  bool tables_of_xprof = false;

  static MemoryUse Compute(AnalysisContext& context, const AnalysisParams& params);
};

ResultTable AllocatorTable(const MemoryUse& use);
ResultTable TimelineTable(std::span<const AllocatorUse> allocators);
// `totals`: with the bytes of all of a row.
ResultTable LiveAllocationTable(std::span<const AllocatorUse> allocators, bool totals);
ResultTable LifetimeTable(std::span<const AllocatorUse> allocators);

}  // namespace stepscope
