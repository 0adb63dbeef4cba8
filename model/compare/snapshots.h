// Compares two memory snapshots: what was live at the peak and at the end of each, by frame and by
// stack (docs/compare.md#memory-snapshots). Pure.
#pragma once

#include <optional>

#include "model/analysis/analysis.h"

namespace stepscope::compare {

// Nothing if neither trace is a memory snapshot. If only one is, `empty_reason` says so. Each
// snapshot is represented by its fullest device. O(events + allocations + frames of stacks).
std::optional<AnalysisResult> CompareSnapshots(const Trace& a, const Trace& b,
                                               const CompareParams& params);

}  // namespace stepscope::compare
