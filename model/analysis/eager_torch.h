// Which events of PyTorch are eager: op by op, as Python called them (docs/rules.md#grouping).
#pragma once

#include "model/analysis/grouping.h"
#include "model/trace.h"

namespace stepscope {

// All ops and what they launched, but for what is inside a compiled region or was launched as a
// graph. Needs the launches. O(events log events) where there are such regions, else O(events).
void MarkTorchEager(const Trace& trace, Grouping* grouping);

}  // namespace stepscope
