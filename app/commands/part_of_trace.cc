#include "app/commands/part_of_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "app/log.h"
#include "model/analysis/steps.h"

namespace stepscope {
namespace {

bool CheckHost(const Trace& trace, const std::string& host) {
  if (host.empty()) return true;
  std::string known;
  for (size_t i = 0; i < trace.hosts.size(); ++i) {
    const std::string_view name = trace.HostName(HostId(static_cast<uint32_t>(i)));
    if (name == host) return true;
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  LogError(fmt::format("--host {}: this profile has no such host; it has {}", host, known));
  return false;
}

bool CheckRange(const Trace& trace, TimeRange range) {
  if (range.empty() || (range.begin <= trace.span.end && range.end > trace.span.begin)) return true;
  LogError(fmt::format("--range: nothing of this profile is there; it goes from {} to {}",
                       FormatDuration(trace.span.begin), FormatDuration(trace.span.end)));
  return false;
}

bool CheckSteps(AnalysisContext& context, const AnalysisParams& params) {
  if (!params.steps) return true;
  int64_t first = INT64_MAX, last = INT64_MIN;
  for (const Step& step : context.steps().steps) {
    if (!params.WantsHost(context.trace().HostName(step.host))) continue;
    if (params.steps->Contains(step.number)) return true;
    first = std::min(first, step.number);
    last = std::max(last, step.number);
  }
  LogError(fmt::format("--steps {}..{}: this profile has {}", params.steps->first,
                       params.steps->last,
                       first > last ? "no steps" : fmt::format("steps {} to {}", first, last)));
  return false;
}

}  // namespace

std::vector<const AnalysisDesc*> ChooseAnalyses(const std::vector<std::string>& panels,
                                                bool compat_xprof) {
  std::vector<const AnalysisDesc*> chosen;
  for (const std::string& id : panels) {
    const AnalysisDesc* analysis = FindAnalysis(id);
    if (!analysis) {
      std::string known;
      for (const AnalysisDesc& a : Analyses())
        known += (known.empty() ? "" : ", ") + std::string(a.id);
      LogError(fmt::format("--panel {}: there is no such panel; known are {}", id, known));
      return {};
    }
    chosen.push_back(analysis);
  }
  if (panels.empty()) {
    for (const AnalysisDesc& a : Analyses()) {
      const std::string_view id = a.id;
      const bool ours = id == "findings" || id == "ranks" || id == "memory_snapshot";
      if (!ours || !compat_xprof) chosen.push_back(&a);
    }
  }
  return chosen;
}

AnalysisParams PartOf(const Options& options) {
  AnalysisParams params = ForHost(options.host);
  params.steps = options.steps;
  params.range = options.range;
  return params;
}

bool CheckPart(AnalysisContext& context, const AnalysisParams& params) {
  const std::string host = params.hosts.empty() ? std::string() : params.hosts.front();
  return CheckHost(context.trace(), host) && CheckRange(context.trace(), params.range) &&
         CheckSteps(context, params);
}

}  // namespace stepscope
