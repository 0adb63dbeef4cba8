#include "model/analysis/steps/scope_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "model/analysis/steps/steps.h"

namespace stepscope {
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

}  // namespace stepscope
