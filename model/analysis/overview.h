// The overview (semantics 5.2): steps, where their time went, the verdict, and the environment.
#pragma once

#include <string>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/analysis/steps.h"

namespace stepscope {

// The steps of one host, or of all: XProf shows those of the first host that has any (quirk 6).
std::vector<Step> StepsOfHost(const Trace& trace, const StepDatabase& db, const std::string& host,
                              bool xprof);
// The table `steps`; by our definitions with the columns inferred and partial.
ResultTable StepTable(const std::vector<Step>& steps, bool xprof);

// What the run's devices are called: "Nvidia GPU (Ampere)", "AMD GPU - gfx942", "CPU".
std::string DeviceTypeOf(const Trace& trace);

AnalysisResult RunOverview(AnalysisContext& context, const AnalysisParams& params,
                           std::stop_token stop);

}  // namespace stepscope
