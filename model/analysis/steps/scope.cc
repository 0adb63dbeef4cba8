#include "model/analysis/steps/scope.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "model/analysis/definitions.h"

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

namespace {

Status Usage(std::string message) { return {ErrorCode::kUsage, std::move(message)}; }

Status HostStatus(const Trace& trace, const std::string& host) {
  if (host.empty()) return {};
  std::string known;
  for (size_t i = 0; i < trace.hosts.size(); ++i) {
    const std::string_view name = trace.HostName(HostId(static_cast<uint32_t>(i)));
    if (name == host) return {};
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  return Usage(fmt::format("host {}: this profile has no such host; it has {}", host, known));
}

Status RangeStatus(const Trace& trace, TimeRange range) {
  if (range.empty() || (range.begin <= trace.span.end && range.end > trace.span.begin)) return {};
  return Usage(fmt::format("range: nothing of this profile is there; it goes from {} to {}",
                           FormatDuration(trace.span.begin), FormatDuration(trace.span.end)));
}

Status StepsStatus(AnalysisContext& context, const AnalysisParams& params) {
  if (!params.steps) return {};
  int64_t first = INT64_MAX, last = INT64_MIN;
  for (const Step& step : context.Get<StepDatabase>().steps) {
    if (!params.WantsHost(context.trace().HostName(step.host))) continue;
    if (params.steps->Contains(step.number)) return {};
    first = std::min(first, step.number);
    last = std::max(last, step.number);
  }
  return Usage(fmt::format("steps {}..{}: this profile has {}", params.steps->first,
                           params.steps->last,
                           first > last ? "no steps" : fmt::format("steps {} to {}", first, last)));
}

}  // namespace

Status ScopeStatus(AnalysisContext& context, const AnalysisParams& params) {
  Status status;
  for (const std::string& host : params.hosts) {
    if (status.ok()) status = HostStatus(context.trace(), host);
  }
  if (status.ok()) status = RangeStatus(context.trace(), params.range);
  return status.ok() ? StepsStatus(context, params) : status;
}

namespace {

// A step with its span counted from the begin of its host's recording: XProf does not align clocks.
struct HostStep {
  const Step* step;
  TimeRange span;
};
using AlignedSteps = std::vector<HostStep>;

std::vector<AlignedSteps> ByHost(const Trace& trace, const StepDatabase& db) {
  std::vector<AlignedSteps> hosts;
  for (const Step& step : db.steps) {
    if (hosts.empty() || hosts.back().front().step->host != step.host) hosts.emplace_back();
    const Host& host = trace.hosts[step.host.value];
    Ps start = 0;
    if (host.start_unix_ns != 0 && trace.origin_unix_ns != 0)
      start = SaturatingMul(SaturatingSub(host.start_unix_ns, trace.origin_unix_ns), kPsPerNs);
    hosts.back().push_back(
        {&step, {SaturatingSub(step.span.begin, start), SaturatingSub(step.span.end, start)}});
  }
  return hosts;
}

Ps SpanOf(const AlignedSteps& steps) {
  Ps begin = kMaxPs, end = kMinPs;
  for (const HostStep& s : steps) {
    begin = std::min(begin, s.span.begin);
    end = std::max(end, s.span.end);
  }
  return SaturatingSub(end, begin);
}

// The host's step i is at the time of the chief's step i + shift.
struct Alignment {
  int64_t shift = 0;
  double overlap = -1;
};

double OverlapAt(const AlignedSteps& steps, const AlignedSteps& chief, int64_t shift) {
  double sum = 0;
  for (size_t i = 0; i < steps.size(); ++i) {
    int64_t k = static_cast<int64_t>(i) + shift;
    if (k < 0 || k >= static_cast<int64_t>(chief.size())) continue;
    const TimeRange a = steps[i].span, b = chief[static_cast<size_t>(k)].span;
    sum +=
        static_cast<double>(std::max<Ps>(0, std::min(a.end, b.end) - std::max(a.begin, b.begin)));
  }
  return sum;
}

// The shift with the largest overlap, the first one that XProf tries
// of equal ones. O(steps squared).
Alignment Align(const AlignedSteps& steps, const AlignedSteps& chief) {
  Alignment best;
  const auto attempt = [&](int64_t shift) {
    double overlap = OverlapAt(steps, chief, shift);
    if (overlap > best.overlap) best = {shift, overlap};
  };
  for (int64_t i = 0; i < static_cast<int64_t>(chief.size()); ++i) attempt(i);
  for (int64_t i = 1; i < static_cast<int64_t>(steps.size()); ++i) attempt(-i);
  return best;
}

// The steps that all hosts have, as XProf shows them (xprof/utils/step_intersection.cc;
// docs/rules.md#several-hosts): with the first host's times and the slowest host's step time.
// db.steps must not be empty. O(steps squared).
std::vector<Step> IntersectHosts(const Trace& trace, const StepDatabase& db) {
  const std::vector<AlignedSteps> hosts = ByHost(trace, db);
  const AlignedSteps& chief = *std::min_element(
      hosts.begin(), hosts.end(),
      [](const AlignedSteps& a, const AlignedSteps& b) { return SpanOf(a) < SpanOf(b); });
  std::vector<int64_t> shift;
  int64_t begin = 0, end = static_cast<int64_t>(chief.size());
  for (const AlignedSteps& steps : hosts) {
    shift.push_back(&steps == &chief ? 0 : Align(steps, chief).shift);
    begin = std::max(begin, shift.back());
    end = std::min(end, static_cast<int64_t>(steps.size()) + shift.back());
  }
  std::vector<Step> rows;
  for (int64_t k = begin; k < end; ++k) {
    const auto step_of = [&](size_t h) -> const Step& {
      return *hosts[h][static_cast<size_t>(k - shift[h])].step;
    };
    Step row = step_of(0);
    if (db.kind == DeviceKind::kGpu) {
      row.number = k - begin;
      row.label = std::to_string(row.number);
    }
    for (size_t h = 0; h < hosts.size(); ++h) {
      row.slowest = std::max(row.slowest, step_of(h).times.total);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

void KeepScope(const Trace& trace, const Scope& scope, StepDatabase* db) {
  std::vector<int64_t> kept(db->steps.size(), -1);  // new index by old index
  std::vector<Step> steps;
  for (size_t i = 0; i < db->steps.size(); ++i) {
    if (!scope.Has(db->steps[i])) continue;
    kept[i] = static_cast<int64_t>(steps.size());
    steps.push_back(std::move(db->steps[i]));
  }
  std::vector<DeviceStep> device_steps;
  for (DeviceStep& d : db->device_steps) {
    if (kept[d.step] < 0) continue;
    d.step = static_cast<uint32_t>(kept[d.step]);
    device_steps.push_back(d);
  }
  std::vector<IdleCause> causes;
  for (IdleCause& cause : db->causes) {
    if (kept[cause.step] < 0) continue;
    cause.step = static_cast<uint32_t>(kept[cause.step]);
    causes.push_back(cause);
  }
  IdleIntervals idle;
  for (IdleInterval& interval : db->idle.longest) {
    if (kept[interval.step] < 0) continue;
    interval.step = static_cast<uint32_t>(kept[interval.step]);
    idle.Add(interval);
  }
  idle.Finish();
  for (DeviceIdle& device : db->idle_parts) {
    std::erase_if(device.parts, [&](const IdleInterval& part) { return kept[part.step] < 0; });
    for (IdleInterval& part : device.parts) part.step = static_cast<uint32_t>(kept[part.step]);
  }
  db->idle = std::move(idle);
  db->steps = std::move(steps);
  db->device_steps = std::move(device_steps);
  db->causes = std::move(causes);
  std::erase_if(db->unrecorded_steps, [&](const Step& step) { return !scope.Has(step); });
  for (std::vector<PlaneId>* devices : {&db->unrecorded_devices, &db->idle_devices}) {
    std::erase_if(*devices,
                  [&](PlaneId device) { return !scope.HasHost(trace.planes[device.value].host); });
  }
  if (scope.whole_time()) return;  // the sums of all have dropped steps too
  db->compute16 = db->compute32 = 0;
  for (const Step& step : db->steps) {
    db->compute16 += step.compute16;
    db->compute32 += step.compute32;
  }
}

}  // namespace

std::shared_ptr<const StepDatabase> SelectSteps(AnalysisContext& context, const Scope& scope) {
  const Trace& trace = context.trace();
  const std::shared_ptr<const StepDatabase> shared = context.Share<StepDatabase>();
  const StepDatabase& all = *shared;
  bool every_host = true;
  for (uint32_t h = 0; h < trace.hosts.size(); ++h)
    every_host = every_host && scope.HasHost(HostId(h));
  const bool several = std::any_of(all.steps.begin(), all.steps.end(),
                                   [&](const Step& s) { return s.host != all.steps.front().host; });
  const bool intersected = context.xprof().hosts_intersected && several && every_host;
  if (!intersected && every_host && scope.whole_time()) return shared;
  auto some = std::make_shared<StepDatabase>(all);
  if (intersected) {
    some->steps = IntersectHosts(trace, all);
    some->device_steps.clear();
    some->causes.clear();
  }
  KeepScope(trace, scope, some.get());
  return some;
}

AnalysisParams JudgedSteps::KeyOf(AnalysisParams params) {
  params.hlo = {};
  params.peaks.clear();
  return params;
}

JudgedSteps JudgedSteps::Compute(AnalysisContext& context, const AnalysisParams& params) {
  JudgedSteps steps;
  const Scope scope = ScopeOf(context, params);
  steps.selected = SelectSteps(context, scope);
  const StepDatabase& db = *steps.selected;
  steps.without_steps = db.kind == DeviceKind::kGpu ? db.device_steps.empty() : db.steps.empty();
  steps.whole_time = scope.whole_time();
  steps.judged = !steps.without_steps ? steps.selected
                                      : std::make_shared<const StepDatabase>(
                                            steps.whole_time ? WholeSpan(context) : StepDatabase());
  return steps;
}

}  // namespace stepscope
