// The host threads that launch the work of devices. Pure.
#pragma once

#include <map>
#include <vector>

#include "model/analysis/findings/finding_context.h"

namespace stepscope {

using ThreadsOfDevices = std::map<PlaneId, std::vector<const Track*>>;

// By device, the threads that launch its work, by a sample of at least 1024 launches.
// O(launches in the sample * log events).
ThreadsOfDevices LaunchThreads(const FindingContext& input);

}  // namespace stepscope
