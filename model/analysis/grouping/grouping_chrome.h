// Groups of PyTorch's recordings (docs/rules.md#grouping).
#pragma once

#include "model/analysis/grouping/event_forest.h"
#include "model/analysis/grouping/grouping.h"
#include "model/trace.h"

namespace stepscope {

// Groups a PyTorch trace: each ProfilerStep#N on a host thread is a step. Host events belong to it
// by time, device events by their launch. Parallel over parts of lanes; O(events).
void GroupChrome(const Trace& trace, const EventForest& forest, Grouping* out);

}  // namespace stepscope
