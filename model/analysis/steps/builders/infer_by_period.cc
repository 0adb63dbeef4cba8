// Infers steps from the period of the kernel sequence (docs/rules.md#steps).
#include <algorithm>
#include <map>
#include <unordered_map>

#include "model/analysis/steps/builders/infer_steps.h"
#include "model/analysis/steps/device_classes.h"

namespace stepscope {
namespace {

constexpr size_t kLongestSample = 200'000;
constexpr double kLeastShare = 0.9;

double ShareAt(const std::vector<uint32_t>& s, size_t period) {
  size_t equal = 0, all = s.size() - period;
  for (size_t i = 0; i < all; ++i) equal += s[i] == s[i + period];
  return all ? static_cast<double>(equal) / static_cast<double>(all) : 0;
}

bool IsCopy(TimeClass c) {
  return c == TimeClass::kHostToDevice || c == TimeClass::kDeviceToHost ||
         c == TimeClass::kDeviceToDevice;
}

// The lane with most events on any GPU of the host; null if there is none.
const Lane* BusiestLane(const Trace& trace, uint32_t host) {
  const Lane* best = nullptr;
  for (const Plane& plane : trace.planes) {
    if (plane.kind != PlaneKind::kGpu || plane.host.value != host) continue;
    for (const Lane* lane : WorkLanes(trace, plane)) {
      if (!best || lane->size() > best->size()) best = lane;
    }
  }
  return best;
}

// The place in the period where steps begin: after the gap that is longest on average.
size_t Phase(const Lane& lane, const std::vector<uint32_t>& events, size_t period) {
  std::vector<double> gap(period, 0);
  for (size_t i = 1; i < events.size(); ++i) {
    Ps g = lane.start[events[i]] - lane.end(events[i - 1]);
    gap[i % period] += static_cast<double>(std::max<Ps>(0, g));
  }
  return static_cast<size_t>(std::max_element(gap.begin(), gap.end()) - gap.begin());
}

}  // namespace

size_t FindPeriod(const std::vector<uint32_t>& sequence, double least, double* share) {
  // Candidates are the usual distances between equal elements that come at least three times.
  std::unordered_map<uint32_t, std::vector<size_t>> places;
  size_t n = std::min(sequence.size(), kLongestSample);
  std::vector<uint32_t> s(sequence.begin(), sequence.begin() + static_cast<ptrdiff_t>(n));
  for (size_t i = 0; i < n; ++i) places[s[i]].push_back(i);
  std::map<size_t, size_t> votes;
  for (const auto& [name, at] : places) {
    if (at.size() < 3) continue;
    std::vector<size_t> distance;
    for (size_t i = 1; i < at.size(); ++i) distance.push_back(at[i] - at[i - 1]);
    std::nth_element(distance.begin(),
                     distance.begin() + static_cast<ptrdiff_t>(distance.size() / 2),
                     distance.end());
    size_t median = distance[distance.size() / 2];
    ++votes[median];
    // An element that comes k times in a step repeats at the sum of k distances.
    for (size_t k = 2; k <= 8 && k < at.size(); ++k) ++votes[at[k] - at[0]];
    if (at.size() >= 4) ++votes[at[at.size() - 1] - at[at.size() - 2]];
  }
  std::vector<std::pair<size_t, size_t>> ranked;  // votes, period
  for (const auto& [period, count] : votes) {
    if (period * 2 <= n) ranked.push_back({count, period});
  }
  std::sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  if (ranked.size() > 64) ranked.resize(64);
  size_t best = 0;
  *share = 0;
  for (const auto& [count, period] : ranked) {
    double x = ShareAt(s, period);
    bool better = x > *share + 0.005 || (x > *share - 0.005 && best && period < best);
    if (x < least || !better) continue;
    best = period;
    *share = std::max(*share, x);
  }
  return best;
}

StepPlan InferByPeriod(const Trace& trace, const Grouping& grouping, double* confidence) {
  StepPlan plan;
  std::vector<uint8_t> classes = ClassesOfDeviceEvents(trace);
  *confidence = 0;
  for (uint32_t host = 0; host < trace.hosts.size() && plan.steps.empty(); ++host) {
    const Lane* lane = BusiestLane(trace, host);
    if (!lane || lane->size() < 6) continue;
    std::vector<uint32_t> events, names;
    EventRow last;
    bool several = false;  // a launch started more than one kernel
    for (uint32_t i = 0; i < lane->size(); ++i) {
      const auto c = static_cast<TimeClass>(classes[lane->meta[i]]);
      if (c < TimeClass::kCollectives || IsCopy(c)) continue;
      // The kernels of one launch, a graph's, count once: layers in them are parts of a step.
      const EventRow launch = grouping.LaunchOf(lane->first_row + i);
      if (launch.valid() && launch == last) {
        several = true;
        continue;
      }
      last = launch;
      events.push_back(i);
      names.push_back(lane->meta[i]);
    }
    if (events.size() < 6) continue;
    double share = 0;
    size_t period = FindPeriod(names, kLeastShare, &share);
    if (!period) continue;
    if (period == 1 && !several) continue;  // one kernel again and again is no sign of steps
    size_t steps = events.size() / period;
    if (steps < 2) continue;
    *confidence = share * (1.0 - 1.0 / static_cast<double>(2 * steps));
    for (size_t i = Phase(*lane, events, period); i < events.size(); i += period) {
      Step step;
      step.host = HostId(host);
      step.label = std::to_string(plan.steps.size());
      step.inferred = true;
      step.partial = i + period > events.size();
      step.rows.push_back(EventRow(lane->first_row + events[i]));
      plan.step_of_boundary.push_back(static_cast<int32_t>(plan.steps.size()));
      plan.boundaries.push_back(lane->start[events[i]]);
      plan.steps.push_back(std::move(step));
    }
    plan.boundaries.push_back(kMaxPs);
  }
  return plan;
}

EqualParts FindEqualParts(const Trace& trace, const Step& step) {
  EqualParts parts;
  const Lane* lane = BusiestLane(trace, step.host.value);
  if (lane == nullptr) return parts;
  const std::vector<uint8_t> classes = ClassesOfDeviceEvents(trace);
  std::vector<uint32_t> events, names;
  for (uint32_t i = 0; i < lane->size(); ++i) {
    const auto c = static_cast<TimeClass>(classes[lane->meta[i]]);
    if (c < TimeClass::kCollectives || IsCopy(c) || !step.span.Contains(lane->start[i])) continue;
    events.push_back(i);
    names.push_back(lane->meta[i]);
  }
  double share = 0;
  const size_t period = events.size() < 6 ? 0 : FindPeriod(names, kLeastShare, &share);
  if (period == 0 || events.size() / period < 3) return parts;
  parts.count = events.size() / period;
  const Ps last = lane->end(events[parts.count * period - 1]);
  parts.each = (last - lane->start[events.front()]) / static_cast<Ps>(parts.count);
  return parts;
}

}  // namespace stepscope
