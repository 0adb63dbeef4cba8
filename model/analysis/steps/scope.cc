#include "model/analysis/steps/scope.h"

#include <algorithm>

#include "model/analysis/steps/steps.h"

namespace stepscope {
namespace {

TimeScope Intersect(const TimeScope& a, const TimeScope& b) {
  return {std::max(a.first, b.first), std::min(a.last, b.last)};
}

TimeScope OfRange(TimeRange range, TimeRange trace) {
  TimeScope scope;
  if (range.begin > trace.begin) scope.first = range.begin;
  if (range.end < trace.end) scope.last = range.end - 1;
  return scope;
}

}  // namespace

Scope::Scope(const Trace& trace, const AnalysisParams& params, const StepDatabase& steps)
    : trace_(trace), params_(params) {
  if (!params.range.empty()) by_range_ = OfRange(params.range, trace.span);
  range_ = !by_range_.whole();
  hosts_.assign(trace.hosts.size(), by_range_);
  if (!params.steps) return;
  std::vector<TimeScope> by_steps(hosts_.size(), TimeScope{kMaxPs, kMinPs});
  for (const Step& step : steps.steps) {
    if (!params.steps->Contains(step.number) || step.host.value >= by_steps.size()) continue;
    TimeScope& time = by_steps[step.host.value];
    time.first = std::min(time.first, step.span.begin);
    time.last = std::max(time.last, step.span.end - 1);
  }
  for (size_t h = 0; h < hosts_.size(); ++h) hosts_[h] = Intersect(hosts_[h], by_steps[h]);
}

bool Scope::HasHost(HostId host) const { return params_.WantsHost(trace_.HostName(host)); }

const TimeScope& Scope::OfHost(HostId host) const {
  return host.value < hosts_.size() ? hosts_[host.value] : by_range_;
}

bool Scope::Has(const Step& step) const {
  return HasHost(step.host) && by_range_.Contains(step.span.begin) &&
         (!params_.steps || params_.steps->Contains(step.number));
}

Scope ScopeOf(AnalysisContext& context, const AnalysisParams& params) {
  static const StepDatabase kNone;
  return Scope(context.trace(), params, params.steps ? context.Get<StepDatabase>() : kNone);
}

}  // namespace stepscope
