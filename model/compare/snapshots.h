// Two memory snapshots compared: what was live at the peak and at the end of each, by frame and by
// stack (docs/compare.md#memory-snapshots). Pure.
#pragma once

#include <optional>

#include "model/compare/compare.h"

namespace stepscope {

// Nothing where neither trace is a memory snapshot; of one that is and one that is not, why there
// is nothing to compare. Of each its fullest device. O(events + allocations + frames of stacks)
std::optional<CompareResult> CompareSnapshots(const Trace& a, const Trace& b,
                                              const CompareParams& params);

}  // namespace stepscope
