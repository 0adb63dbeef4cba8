// Marks the events of PyTorch that are eager: ops that Python called one by one
// (docs/rules.md#grouping).
#pragma once

#include "model/analysis/grouping/grouping.h"
#include "model/trace.h"

namespace stepscope {

// Sets grouping->eager: all ops and what they launched, except what is inside a compiled region or
// was launched as a graph. grouping->launches must be filled. O(events log events) where there are
// such regions, else O(events).
void MarkTorchEager(const Trace& trace, Grouping* grouping);

}  // namespace stepscope
