// Scope: which events and steps count for AnalysisParams (docs/rules.md#parts-of-a-trace). An event
// or a step counts if it begins inside, so that adjoining ranges add up. Steps are turned into a
// range of time for each host. What begins before the scope does not count, but stays known: self
// times and live memory depend on it. Immutable; any thread.
#pragma once

#include <vector>

#include "model/analysis/analysis.h"
#include "model/analysis/intervals/time_scope.h"
#include "model/ids.h"

namespace stepscope {

struct Step;          // model/analysis/steps/steps.h
struct StepDatabase;  // model/analysis/steps/steps.h

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

}  // namespace stepscope
