// What a recording of another format says of an event, in PyTorch's words: who reads the export
// looks for registers, launch shape, bytes and correlation under these names.
#pragma once

#include <vector>

#include "model/ids.h"
#include "model/stats.h"

namespace stepscope {

// Those that the event has and that are not among `own`, its arguments; shapes are JSON lists.
// Any thread. O(arguments · log n)
std::vector<Stat> TorchArgs(const StatTable& stats, EventRow row, const std::vector<Stat>& own);

}  // namespace stepscope
