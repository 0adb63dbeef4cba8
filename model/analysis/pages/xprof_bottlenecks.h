// The limit of a step by XProf's rule, which reads shares of the step time and no idle intervals
// (docs/rules.md#overview). The overview shows it beside the verdict, or as the verdict with
// XProf's definitions.
#pragma once

#include <vector>

#include "model/analysis/analysis.h"
#include "model/analysis/naming/program.h"
#include "model/analysis/steps/steps.h"

namespace stepscope {

// Appends the shares, the bottleneck and the grades to the properties. `judged`: the steps that the
// shares are of, which are those of the verdict; `steps` are those that were found. `program`:
// whose remedies findings have. `as_xprof`: the labels are XProf's, and findings are appended too.
// Pure. O(steps).
void AddXprofBottlenecks(const std::vector<Step>& steps, const std::vector<Step>& judged,
                         const Program& program, bool as_xprof, AnalysisResult* result);

}  // namespace stepscope
