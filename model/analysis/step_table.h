// The steps of a part of a trace, and the tables of them that panels share.
#pragma once

#include <memory>
#include <stop_token>
#include <vector>

#include "model/analysis/scope.h"
#include "model/analysis/steps.h"

namespace stepscope {

// The steps in the scope, with their device steps and sums: of each host, one host after the other.
// Those of the context, which must outlive it, where the scope is everything.
// XProf aligns the steps of several hosts and shows the first one's: O(steps squared) then.
std::shared_ptr<const StepDatabase> SelectSteps(AnalysisContext& context, const Scope& scope,
                                                std::stop_token stop);

// The table `steps`. Its links hold where each step is on the time axis. `bare`: XProf's columns
// only, without inferred and partial, and the host where there are several.
ResultTable StepTable(const Trace& trace, const std::vector<Step>& steps, bool bare);
// Texts that many rows share, by HostId and PlaneId.
std::vector<SharedText> HostNames(const Trace& trace);
std::vector<SharedText> DeviceNames(const Trace& trace);
ResultTable DeviceStepTable(const Trace& trace, const StepDatabase& db);

}  // namespace stepscope
