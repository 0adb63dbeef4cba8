// The overview (docs/rules.md#overview): steps, where their time went, the verdict, and the
// environment.
#pragma once

#include <string>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/analysis/steps.h"

namespace stepscope {

// The steps of one host, or of all hosts one after the other. XProf aligns the steps of all hosts
// and shows the first one's (step_intersection.cc); O(steps squared) then.
std::vector<Step> StepsOf(const Trace& trace, const StepDatabase& db, const AnalysisParams& params,
                          bool xprof);
// The table `steps`; by our definitions with the columns inferred and partial, and host if there
// are several.
ResultTable StepTable(const Trace& trace, const std::vector<Step>& steps, bool xprof);

// What the run's devices are called: "Nvidia GPU (Ampere)", "AMD GPU - gfx942", "CPU".
std::string DeviceTypeOf(const Trace& trace);

AnalysisResult RunOverview(AnalysisContext& context, const AnalysisParams& params,
                           std::stop_token stop);

}  // namespace stepscope
