// The steps in a part of a trace, and the tables of them that several pages show.
#pragma once

#include <memory>
#include <vector>

#include "model/analysis/steps/scope.h"
#include "model/analysis/steps/steps.h"

namespace stepscope {

// The steps in the scope with their device steps and sums, host by host. The context's own database
// where the scope is everything; the context must outlive the result. By XProf's definitions steps
// of several hosts are intersected (step_intersection.h): O(steps squared).
std::shared_ptr<const StepDatabase> SelectSteps(AnalysisContext& context, const Scope& scope);

// The steps of the part that params ask for, and those that the verdict speaks of.
struct JudgedSteps {
  std::shared_ptr<const StepDatabase> selected;
  // `selected`, or if it has no step, the span of all device events as one step (WholeSpan); empty
  // if params ask for a part of the recording that holds no whole step.
  std::shared_ptr<const StepDatabase> judged;
  bool without_steps = false;  // `selected` has none
  bool whole_time = true;      // params ask for all of the recording's time

  static constexpr size_t kKept = 2;
  static AnalysisParams KeyOf(AnalysisParams params);
  static JudgedSteps Compute(AnalysisContext& context, const AnalysisParams& params);
};

// The table `steps`. Its links hold each step's time. `bare`: XProf's columns only, without
// `inferred` and `partial`; the host only where there are several.
ResultTable StepTable(const Trace& trace, const std::vector<Step>& steps, bool bare);
// Names by HostId and by PlaneId, as texts that many rows share.
std::vector<SharedText> HostNames(const Trace& trace);
std::vector<SharedText> DeviceNames(const Trace& trace);
ResultTable DeviceStepTable(const Trace& trace, const StepDatabase& db);

}  // namespace stepscope
