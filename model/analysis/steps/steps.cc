#include "model/analysis/steps/steps.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "model/analysis/intervals/step_number.h"
#include "model/base/statistics.h"

namespace stepscope {
namespace {

// Factors of the median of the others (docs/rules.md#steps-that-count): a first step above
// kSlow is a warm-up; one below kCut was marked late, so that its begin is missing.
constexpr double kSlow = 1.5, kCut = 0.75;

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

std::vector<SharedText> HostNames(const Trace& trace) {
  std::vector<SharedText> names;
  for (uint32_t i = 0; i < trace.hosts.size(); ++i) names.emplace_back(trace.HostName(HostId(i)));
  return names;
}

std::vector<SharedText> DeviceNames(const Trace& trace) {
  std::vector<SharedText> names;
  for (const Plane& plane : trace.planes) {
    names.emplace_back(plane.display_name.empty() ? trace.names().strings.View(plane.name)
                                                  : std::string_view(plane.display_name));
  }
  return names;
}

RowLink LinkTo(const Step& step) {
  RowLink link = LinkTo(EventRows(step.rows));
  link.range = step.span;
  return link;
}

std::vector<const Step*> CountedSteps(const std::vector<Step>& steps) {
  std::vector<const Step*> counted;
  for (const Step& step : steps) {
    if (step.counts()) counted.push_back(&step);
  }
  if (!counted.empty()) return counted;
  for (const Step& step : steps) counted.push_back(&step);
  return counted;
}

StepSummary Summarize(const std::vector<Step>& steps, double StepBreakdown::*field) {
  StepSummary s;
  std::vector<double> all;
  for (const Step* step : CountedSteps(steps))
    all.push_back(step->times.*field / static_cast<double>(kPsPerMs));
  if (all.empty()) return s;
  double sum = 0, squares = 0;
  for (const double ms : all) sum += ms;
  s.count = all.size();
  s.mean = sum / static_cast<double>(s.count);
  for (const double ms : all) squares += (ms - s.mean) * (ms - s.mean);
  if (s.count > 1) s.deviation = std::sqrt(squares / static_cast<double>(s.count - 1));
  const auto [least, most] = std::minmax_element(all.begin(), all.end());
  s.min = *least;
  s.max = *most;
  s.median = Median(std::move(all));
  return s;
}

StepSummary SummarizeStepTimes(std::vector<Step> steps) {
  for (Step& step : steps) step.times.total = std::max(step.times.total, step.slowest);
  return Summarize(steps, &StepBreakdown::total);
}

void NumberSteps(std::vector<Step>* steps) {
  for (size_t begin = 0, end = 0; begin < steps->size(); begin = end) {
    while (end < steps->size() && (*steps)[end].host == (*steps)[begin].host) ++end;
    NumberByLabel(std::span(*steps).subspan(begin, end - begin));
  }
}

void MarkFirst(std::vector<Step>* steps) {
  for (size_t first = 0, end = 0; first < steps->size(); first = end) {
    while (end < steps->size() && (*steps)[end].host == (*steps)[first].host) ++end;
    std::vector<double> others;
    for (size_t i = first + 1; i < end; ++i) {
      if (!(*steps)[i].partial) others.push_back((*steps)[i].times.total);
    }
    if (others.size() < 2) continue;
    const double median = Median(std::move(others));
    Step& step = (*steps)[first];
    step.warmup = step.times.total > kSlow * median;
    step.partial = step.partial || step.times.total < kCut * median;
  }
}

std::array<double, kStepTimeClasses> ClassTimesOf(const Step& step) {
  double sum = 0;
  for (const double time : step.class_times) sum += time;
  if (sum > 0) return step.class_times;
  std::array<double, kStepTimeClasses> times{};
  const auto set = [&](StepTimeClass c, double ps) { times[static_cast<size_t>(c)] = ps; };
  const StepBreakdown& t = step.times;
  set(StepTimeClass::kCompute, t.compute + t.host_compute);
  set(StepTimeClass::kDeviceToDevice, t.device_to_device);
  set(StepTimeClass::kCollective, t.collectives);
  set(StepTimeClass::kHostToDevice, t.host_to_device);
  set(StepTimeClass::kInput, t.input - t.host_to_device);
  set(StepTimeClass::kDeviceToHost, t.output);
  set(StepTimeClass::kCompile, t.compile);
  set(StepTimeClass::kLaunch, t.launch);
  set(StepTimeClass::kUnknown, t.other);
  return times;
}

StepPartTimes PartTimesOf(const Step& step) {
  StepPartTimes parts{};
  const std::array<double, kStepTimeClasses> times = ClassTimesOf(step);
  for (size_t c = 0; c < kStepTimeClasses; ++c)
    parts[static_cast<size_t>(PartOf(static_cast<StepTimeClass>(c)))] += times[c];
  return parts;
}

std::vector<StepWindow> StepWindowsOf(const StepDatabase& db, PlaneId device) {
  std::vector<StepWindow> windows;
  for (const DeviceStep& d : db.device_steps) {
    if (d.device == device) windows.push_back({d.span, d.step});
  }
  std::sort(windows.begin(), windows.end(),
            [](const StepWindow& a, const StepWindow& b) { return a.span.begin < b.span.begin; });
  return windows;
}

int32_t StepPlan::StepOf(const Trace& trace, const Grouping& grouping, uint32_t row,
                         Ps start) const {
  if (by_time()) {
    if (by_launch) {
      const EventRow launch = grouping.LaunchOf(row);
      if (launch.valid()) start = trace.set.Start(launch);
    }
    auto it = std::upper_bound(boundaries.begin(), boundaries.end(), start);
    if (it == boundaries.begin() || it == boundaries.end()) return -1;
    return step_of_boundary[static_cast<size_t>(it - boundaries.begin() - 1)];
  }
  int32_t group = grouping.group[row];
  return group < 0 ? -1 : step_of_group[static_cast<size_t>(group)];
}

}  // namespace stepscope
