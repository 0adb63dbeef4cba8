// Tables of the intervals in which a device was idle, and of their causes
// (docs/findings.md#gaps).
#pragma once

#include "model/analysis/findings/finding_context.h"

namespace stepscope {

// Every interval of at least the parameter `gaps`, the longest first, at most
// IdleIntervals::kMost. O(n).
ResultTable GapTable(const FindingContext& input);
// The sums of these intervals by step, device, class and cause. O(n log n).
ResultTable GapCauseTable(const FindingContext& input);

}  // namespace stepscope
