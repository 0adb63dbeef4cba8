// Tables of every interval in which a device was idle, and of their causes (docs/findings.md#gaps).
#pragma once

#include "model/analysis/findings/input.h"

namespace stepscope {

// The longest first, at most IdleIntervals::kMost, of at least the parameter `gaps`.
ResultTable GapTable(const FindingInput& input);
// The same rolled up by step, device, class and cause.
ResultTable GapCauseTable(const FindingInput& input);

}  // namespace stepscope
