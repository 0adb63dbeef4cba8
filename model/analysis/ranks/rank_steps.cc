#include "model/analysis/ranks/rank_steps.h"

#include <algorithm>

namespace stepscope {
namespace {

Ps BusyOf(const StepClassTimes& times) {
  return At(times, StepTimeClass::kCompute) + At(times, StepTimeClass::kHostToDevice) +
         At(times, StepTimeClass::kDeviceToHost) + At(times, StepTimeClass::kDeviceToDevice);
}

RankStep OfDevice(const Step& step, const DeviceStep& device) {
  return {step.number,   device.span,       device.span.length(), BusyOf(device.class_times),
          step.counts(), device.class_times};
}

// The step of a host whose steps are not divided among devices.
RankStep OfHost(const Step& step) {
  StepClassTimes times{};
  for (size_t c = 0; c < kStepTimeClasses; ++c) times[c] = static_cast<Ps>(step.class_times[c]);
  return {step.number, step.span, step.span.length(), BusyOf(times), step.counts(), times};
}

// Joins the parts of one step on several devices of a rank, by number.
void Join(std::vector<RankStep>* steps) {
  std::vector<RankStep> joined;
  int64_t parts = 0;
  for (const RankStep& s : *steps) {
    if (joined.empty() || joined.back().number != s.number) {
      joined.push_back(s);
      parts = 1;
      continue;
    }
    RankStep& to = joined.back();
    to.span.begin = std::min(to.span.begin, s.span.begin);
    to.span.end = std::max(to.span.end, s.span.end);
    ++parts;
    to.total += (s.total - to.total) / parts;  // a running mean does not overflow
    to.busy += (s.busy - to.busy) / parts;
    for (size_t c = 0; c < kStepTimeClasses; ++c)
      to.losses[c] += (s.losses[c] - to.losses[c]) / parts;
  }
  *steps = std::move(joined);
}

}  // namespace

std::vector<std::vector<RankStep>> StepsOfRanks(const std::vector<Rank>& ranks,
                                                const StepDatabase& db, const Scope& scope) {
  std::vector<std::vector<RankStep>> steps(ranks.size());
  std::vector<size_t> by_plane;
  std::vector<std::vector<size_t>> by_host;  // ranks without steps of devices
  const auto put = [](std::vector<size_t>* at, size_t key, size_t rank) {
    if (at->size() <= key) at->resize(key + 1, SIZE_MAX);
    (*at)[key] = rank;
  };
  const auto find = [](const std::vector<size_t>& at, size_t key) {
    return key < at.size() ? at[key] : SIZE_MAX;
  };
  for (size_t r = 0; r < ranks.size(); ++r) {
    for (const PlaneId device : ranks[r].devices) put(&by_plane, device.value, r);
    if (!ranks[r].devices.empty() && !db.device_steps.empty()) continue;
    if (by_host.size() <= ranks[r].host.value) by_host.resize(ranks[r].host.value + size_t{1});
    by_host[ranks[r].host.value].push_back(r);
  }
  for (const DeviceStep& d : db.device_steps) {
    const size_t r = find(by_plane, d.device.value);
    if (r != SIZE_MAX && scope.Has(db.steps[d.step]))
      steps[r].push_back(OfDevice(db.steps[d.step], d));
  }
  for (const Step& s : db.steps) {
    if (s.host.value >= by_host.size() || !scope.Has(s)) continue;
    for (const size_t r : by_host[s.host.value]) steps[r].push_back(OfHost(s));
  }
  const auto by_number = [](const RankStep& a, const RankStep& b) {
    return a.number != b.number ? a.number < b.number : a.span.begin < b.span.begin;
  };
  for (std::vector<RankStep>& of : steps) {
    std::sort(of.begin(), of.end(), by_number);
    Join(&of);
    std::sort(of.begin(), of.end(),
              [](const RankStep& a, const RankStep& b) { return a.span.begin < b.span.begin; });
  }
  return steps;
}

const RankStep* StepAt(const std::vector<RankStep>& steps, Ps t) {
  auto it = std::upper_bound(steps.begin(), steps.end(), t,
                             [](Ps at, const RankStep& s) { return at < s.span.begin; });
  if (it == steps.begin()) return nullptr;
  --it;
  return it->span.Contains(t) ? &*it : nullptr;
}

}  // namespace stepscope
