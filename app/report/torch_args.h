// Arguments of an event under PyTorch's names, for the export of other formats: tools that read
// it look for registers, launch shape, bytes and correlation under these names.
#pragma once

#include <vector>

#include "model/ids.h"
#include "model/stats.h"

namespace stepscope {

// Returns the arguments that the event has and that are not in `own`, its arguments in the file.
// Shapes are JSON lists. Any thread may call it. O(arguments log events).
std::vector<Stat> TorchArgs(const StatTable& stats, EventRow row, const std::vector<Stat>& own);

}  // namespace stepscope
