// The analysis `memory_snapshot` (docs/memory-snapshots.md): who held a device's memory at the
// peak, at the end and when it ran out, and what grows with each step.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/analysis/memory/allocation_groups.h"

namespace stepscope {

// The table of what was live when memory ran out. It is there if SnapshotReport::failure is set.
inline constexpr const char* kAtFailureTable = "at_oom";

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
  bool several = false;  // the snapshot is of several devices
  bool recorded = true;  // false: a snapshot without history, which has no peak and no growth
  AllocatorPart part;
  std::optional<int64_t> peak_time_us;
  int64_t reserved_bytes = 0, bytes_before = 0;
  uint64_t events = 0, out_of_memory = 0;  // out_of_memory: how often
  Moment at_peak, at_end;
  std::optional<Failure> failure;
  std::vector<LeakingGroup> leaks;

  // The leading facts in sentences: that memory ran out, what grows, or the peak.
  std::vector<Finding> Findings() const;
  // The bytes that are allocated and never freed: of each step if steps are known, else of the
  // recording.
  int64_t LeakedBytes() const;

  // O(events + allocations).
  static SnapshotReport Compute(AnalysisContext& context, const AnalysisParams& params);
};

}  // namespace stepscope
