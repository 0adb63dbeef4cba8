// Steps of several hosts as XProf has them: it aligns the hosts' steps, keeps those that all have,
// shows the first host's times and takes the slowest host's step time.
#pragma once

#include <vector>

#include "model/analysis/steps.h"

namespace stepscope {

// There must be steps. O(steps squared).
std::vector<Step> IntersectHosts(const Trace& trace, const StepDatabase& db);

}  // namespace stepscope
