#include "model/analysis/steps.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>

namespace stepscope {
namespace {

// The number that the label ends with.
std::optional<int64_t> LastNumber(const std::string& label) {
  const size_t before = label.find_last_not_of("0123456789");
  const size_t at = before == std::string::npos ? 0 : before + 1;
  int64_t number = 0;
  const auto read = std::from_chars(label.data() + at, label.data() + label.size(), number);
  if (at == label.size() || read.ec != std::errc()) return std::nullopt;
  return number;
}

void NumberHost(std::span<Step> steps) {
  bool rising = true;
  std::optional<int64_t> last;
  for (Step& step : steps) {
    const std::optional<int64_t> number = LastNumber(step.label);
    rising = rising && number && (!last || *number > *last);
    step.number = number.value_or(0);
    last = number;
  }
  for (size_t i = 0; i < steps.size() && !rising; ++i) steps[i].number = static_cast<int64_t>(i);
}

}  // namespace

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

void NumberSteps(std::vector<Step>* steps) {
  for (size_t begin = 0, end = 0; begin < steps->size(); begin = end) {
    while (end < steps->size() && (*steps)[end].host == (*steps)[begin].host) ++end;
    NumberHost(std::span(*steps).subspan(begin, end - begin));
  }
}

}  // namespace stepscope
