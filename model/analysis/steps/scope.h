// Scope: which events and steps count for AnalysisParams (docs/rules.md#parts-of-a-trace). An event
// or a step counts if it begins inside, so that adjoining ranges add up. Steps are turned into a
// range of time for each host. What begins before the scope does not count, but stays known: self
// times and live memory depend on it. Immutable; any thread.
#pragma once

#include <memory>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/analysis/intervals/time_scope.h"
#include "model/analysis/steps/steps.h"
#include "model/base/status.h"

namespace stepscope {

class Scope {
 public:
  // `steps` are those of the whole trace. A range that reaches the end of the trace includes events
  // that begin exactly there, so that the whole range has all events.
  Scope(const Trace& trace, const AnalysisParams& params, const StepDatabase& steps);

  bool whole_time() const { return !range_ && !params_.steps; }
  bool HasHost(HostId host) const;
  const TimeScope& OfHost(HostId host) const;
  bool Has(const Step& step) const;

 private:
  const Trace& trace_;
  AnalysisParams params_;
  bool range_ = false;
  TimeScope by_range_;
  std::vector<TimeScope> hosts_;  // by HostId
};

// Computes the steps of the trace only if params name some. The context must outlive the scope.
Scope ScopeOf(AnalysisContext& context, const AnalysisParams& params);

// OK, or kUsage where the trace lacks the host, or has nothing in the range or the steps; the
// message begins with the name of the parameter and says what there is. Computes steps only if
// params name some.
Status ScopeStatus(AnalysisContext& context, const AnalysisParams& params);

// The steps in the scope with their device steps and sums, host by host. The context's own database
// where the scope is everything. By XProf's definitions steps of several hosts are intersected:
// O(steps squared).
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

}  // namespace stepscope
