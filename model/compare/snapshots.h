// Compares two memory snapshots: what was live at the peak and at the end of each, by frame and by
// stack (docs/compare.md#memory-snapshots). Pure.
#pragma once

#include <cstdint>
#include <optional>

#include "model/analysis/analysis.h"
#include "model/compare/compare_table.h"

namespace stepscope::compare {

// What the comparison of two snapshots is made from: AnalysisResult::As<SnapshotComparison>().
struct SnapshotComparison {
  int64_t peak_a = 0, peak_b = 0;  // bytes
  int64_t reserved_a = 0, reserved_b = 0;
  AmountChanges at_peak;  // bytes by frame, as in the table `memory_at_peak`
  int64_t delta() const { return SaturatingSub(peak_b, peak_a); }
};

// Nothing if neither trace is a memory snapshot. If only one is, `empty_reason` says so. Each
// snapshot is represented by its fullest device. O(events + allocations + frames of stacks).
std::optional<AnalysisResult> CompareSnapshots(const Trace& a, const Trace& b,
                                               const CompareParams& params);

}  // namespace stepscope::compare
