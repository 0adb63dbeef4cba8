#include "model/analysis/steps.h"

#include <algorithm>
#include <cmath>

#include "model/analysis/tpu.h"

namespace stepscope {

DeviceKind KindOf(const Trace& trace) {
  DeviceKind kind = DeviceKind::kCpuOnly;
  for (const Plane& plane : trace.planes) {
    if (plane.kind == PlaneKind::kTpu) return DeviceKind::kTpu;
    if (plane.kind == PlaneKind::kGpu) kind = DeviceKind::kGpu;
  }
  return kind;
}

std::vector<const Lane*> PlaneLanes(const Trace& trace, const Plane& plane) {
  std::vector<TrackId> tracks = plane.tracks;
  std::stable_sort(tracks.begin(), tracks.end(), [&](TrackId a, TrackId b) {
    return trace.set.tracks[a.value].file_order < trace.set.tracks[b.value].file_order;
  });
  std::vector<const Lane*> lanes;
  for (TrackId t : tracks) {
    const Track& track = trace.set.tracks[t.value];
    if (track.derived_in_file) continue;
    for (const Lane& lane : trace.set.LanesOf(track)) lanes.push_back(&lane);
  }
  return lanes;
}

StepSummary Summarize(const std::vector<Step>& steps, double StepBreakdown::*field) {
  StepSummary s;
  bool all_partial =
      std::all_of(steps.begin(), steps.end(), [](const Step& x) { return x.partial; });
  double sum = 0;
  for (const Step& step : steps) {
    if (step.partial && !all_partial) continue;
    double ms = step.times.*field / static_cast<double>(kPsPerMs);
    s.min = s.count ? std::min(s.min, ms) : ms;
    s.max = s.count ? std::max(s.max, ms) : ms;
    sum += ms;
    ++s.count;
  }
  if (!s.count) return s;
  s.mean = sum / static_cast<double>(s.count);
  double squares = 0;
  for (const Step& step : steps) {
    if (step.partial && !all_partial) continue;
    double d = step.times.*field / static_cast<double>(kPsPerMs) - s.mean;
    squares += d * d;
  }
  if (s.count > 1) s.deviation = std::sqrt(squares / static_cast<double>(s.count - 1));
  return s;
}

StepSummary SummarizeStepTimes(std::vector<Step> steps) {
  for (Step& step : steps) step.times.total = std::max(step.times.total, step.slowest);
  return Summarize(steps, &StepBreakdown::total);
}

StepDatabase BuildSteps(AnalysisContext& context, std::stop_token stop) {
  const StatTable& stats = context.stats(stop);
  const Grouping& grouping = context.grouping(stop);
  if (KindOf(context.trace()) == DeviceKind::kTpu) {
    StepDatabase tpu = TpuSteps(context.trace(), stats, stop);
    if (!tpu.steps.empty()) return tpu;
  }
  // XProf reads no Chrome traces, so there is nothing to be compatible with.
  bool xprof = (context.definitions() == Definitions::kXprof) &&
               context.trace().format == TraceFormat::kXSpace;
  return xprof ? XprofSteps(context.trace(), stats, grouping, stop)
               : OwnSteps(context.trace(), stats, grouping, stop);
}

}  // namespace stepscope
