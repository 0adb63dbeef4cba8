// The steps in a part of a trace, and the tables of them that several pages show.
#pragma once

#include <memory>
#include <stop_token>
#include <vector>

#include "model/analysis/steps/scope.h"
#include "model/analysis/steps/steps.h"

namespace stepscope {

// The steps in the scope with their device steps and sums, host by host. The context's own database
// where the scope is everything; the context must outlive the result. By XProf's definitions steps
// of several hosts are intersected (step_intersection.h): O(steps squared).
std::shared_ptr<const StepDatabase> SelectSteps(AnalysisContext& context, const Scope& scope,
                                                std::stop_token stop);

// The table `steps`. Its links hold each step's time. `bare`: XProf's columns only, without
// `inferred` and `partial`; the host only where there are several.
ResultTable StepTable(const Trace& trace, const std::vector<Step>& steps, bool bare);
// Names by HostId and by PlaneId, as texts that many rows share.
std::vector<SharedText> HostNames(const Trace& trace);
std::vector<SharedText> DeviceNames(const Trace& trace);
ResultTable DeviceStepTable(const Trace& trace, const StepDatabase& db);

}  // namespace stepscope
