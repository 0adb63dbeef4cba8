// The analysis `memory_snapshot` (docs/memory-snapshots.md): who held a device's memory at the
// peak, at the end and when it ran out, and what grows with each step.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/analysis/memory/allocation_groups.h"

namespace stepscope {

// About the device with the highest peak. Times are microseconds since 1970.
struct SnapshotReport {
  struct Moment {
    int64_t bytes = 0;  // live
    std::vector<LiveGroup> by_frame;
  };
  struct Failure {  // the last time that memory ran out
    std::optional<int64_t> time_us, device_free;
    int64_t requested = 0;  // bytes
    Moment live;
  };
  int64_t device = -1;   // -1: there is no snapshot, or nothing in it
  bool recorded = true;  // false: a snapshot without history, which has no peak and no growth
  AllocatorPart part;
  std::optional<int64_t> peak_time_us;
  int64_t reserved_bytes = 0, bytes_before = 0;
  uint64_t events = 0, out_of_memory = 0;  // out_of_memory: how often
  Moment at_peak, at_end;
  std::optional<Failure> failure;
  std::vector<LeakingGroup> leaks;

  // O(events + allocations).
  static SnapshotReport Compute(AnalysisContext& context, const AnalysisParams& params);
};

}  // namespace stepscope
