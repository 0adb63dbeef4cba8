// Scope: which events and steps count for AnalysisParams. Steps are turned into times, for each
// host its own. An event counts when it begins inside, so that adjoining ranges add up; so does a
// step. What begins before and reaches inside does not count, but is still there to be seen: self
// times and what is live in memory know what came before.
#pragma once

#include <stop_token>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/ids.h"

namespace stepscope {

struct Step;          // model/analysis/steps.h
struct StepDatabase;  // model/analysis/steps.h

// Of one host: begins of events that count, both ends included; none if last < first.
struct TimeScope {
  Ps first = kMinPs, last = kMaxPs;
  bool Contains(Ps begin) const { return begin >= first && begin <= last; }
  bool whole() const { return first == kMinPs && last == kMaxPs; }
};

class Scope {
 public:
  // `steps` are those of the whole trace. A range that reaches the end of the trace has what begins
  // at that end too, so that the whole range is everything.
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

// Asks for the steps of the trace only if params name some. The context must outlive the scope.
Scope ScopeOf(AnalysisContext& context, const AnalysisParams& params, std::stop_token stop);

}  // namespace stepscope
