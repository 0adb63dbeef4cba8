// Steps of several hosts as XProf shows them (xprof/utils/step_intersection.cc;
// docs/rules.md#several-hosts): it aligns the hosts' steps, keeps those that all have, shows the
// first host's times and takes the slowest host's step time.
#pragma once

#include <vector>

#include "model/analysis/steps/steps.h"

namespace stepscope {

// db.steps must not be empty. O(steps squared).
std::vector<Step> IntersectHosts(const Trace& trace, const StepDatabase& db);

}  // namespace stepscope
