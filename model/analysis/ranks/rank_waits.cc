#include "model/analysis/ranks/rank_waits.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "model/analysis/grouping/host_activity.h"
#include "model/analysis/intervals/lane_merge.h"
#include "model/analysis/steps/cause_name.h"
#include "model/analysis/steps/host_losses.h"
#include "model/analysis/steps/idle_causes.h"
#include "model/jobs/job.h"

namespace stepscope {
namespace {

// The time from the end of a rank's previous collective to its arrival at this one.
struct Window {
  Ps begin, end;
  uint32_t call;  // index in RankFacts::calls
};

// Divides a device's time into compute, copies and gaps within windows, which are disjoint and
// sorted by begin.
class Sweep {
 public:
  // `gaps` gets the idle intervals; time in which copies run and no kernel does counts as copies.
  Sweep(const std::vector<Window>& windows, std::vector<StepClassTimes>* losses,
        IdleExplainer::Stream* gaps)
      : windows_(windows), losses_(*losses), gaps_(*gaps) {}

  // Takes the events in order of begin.
  void Add(uint32_t row, TimeRange range, bool compute) {
    Gap(range.begin, row);
    if (compute) Cover(kCompute, std::max(range.begin, ends_[kCompute]), range.end);
    Cover(kAny, std::max(range.begin, ends_[kAny]), range.end);
    if (compute) ends_[kCompute] = std::max(ends_[kCompute], range.end);
    ends_[kAny] = std::max(ends_[kAny], range.end);
  }
  void Finish() { Gap(kMaxPs, IdleGap::kNone); }

 private:
  enum Level : uint8_t { kAny, kCompute, kGaps };

  template <typename Fn>
  void ForParts(Level level, Ps from, Ps to, Fn fn) {
    size_t& at = at_[level];
    while (at < windows_.size() && windows_[at].end <= from) ++at;
    for (size_t w = at; w < windows_.size() && windows_[w].begin < to; ++w) {
      const TimeRange part{std::max(from, windows_[w].begin), std::min(to, windows_[w].end)};
      if (!part.empty()) fn(w, part);
    }
  }
  void Cover(Level level, Ps from, Ps to) {
    if (to <= from) return;
    ForParts(level, from, to, [&](size_t w, TimeRange part) {
      if (level == kCompute) At(losses_[w], StepTimeClass::kCompute) += part.length();
      At(losses_[w], StepTimeClass::kHostToDevice) +=
          level == kAny ? part.length() : -part.length();
    });
  }
  void Gap(Ps until, uint32_t next) {
    if (until <= ends_[kAny]) return;
    ForParts(kGaps, ends_[kAny], until, [&](size_t w, TimeRange part) {
      IdleGap& gap = gaps_.Next();
      gap.window = static_cast<uint32_t>(w);
      gap.next_row = next;
      gap.begin = part.begin, gap.end = part.end;
      gap.since = ends_[kAny];
    });
  }

  const std::vector<Window>& windows_;
  std::vector<StepClassTimes>& losses_;
  IdleExplainer::Stream& gaps_;
  std::array<Ps, 2> ends_ = {kMinPs, kMinPs};
  std::array<size_t, 3> at_{};
};

// Finds the causes of the idle time of GPUs.
struct DeviceExplainer {
  DeviceExplainer(AnalysisContext& context)
      : classes(context.Get<DeviceClasses>().of_meta),
        idle(context.trace(), context.Get<Grouping>(), context.Get<HostActivity>(),
             MarkedSteps(context.trace(), context.Get<StepDatabase>().steps), false) {}
  const std::vector<uint8_t>& classes;
  const IdleExplainer idle;
};

class Explainer {
 public:
  Explainer(AnalysisContext& context, bool devices) : context_(context) {
    if (devices) {
      devices_ = std::make_unique<DeviceExplainer>(context);
    } else {
      host_ =
          std::make_unique<HostDivider>(context.trace(), context.stats(), context.Get<Grouping>(),
                                        context.Get<StepDatabase>().steps);
    }
  }

  // Thread-safe.
  void Explain(RankFacts* facts) const;

 private:
  void Read(const Rank& rank, const std::vector<Window>& windows,
            std::vector<StepClassTimes>* losses, std::vector<IdleCause>* causes) const;

  AnalysisContext& context_;
  std::unique_ptr<const DeviceExplainer> devices_;
  std::unique_ptr<const HostDivider> host_;  // in place of it, where ranks have no devices
};

// The windows before the rank's collectives, by begin. The first begins with the rank's first step.
std::vector<Window> FindWindows(RankFacts* facts) {
  std::vector<uint32_t> order(facts->calls.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    const RankCall &x = facts->calls[a], &y = facts->calls[b];
    return std::tie(x.begin, x.row) < std::tie(y.begin, y.row);
  });
  std::vector<Window> windows;
  Ps before = kMinPs;
  for (const uint32_t i : order) {
    RankCall& call = facts->calls[i];
    if (before == kMinPs)
      before = facts->steps.empty() ? call.begin : facts->steps.front().span.begin;
    call.explained = call.begin > before;
    call.since = std::min(before, call.begin);
    if (call.explained) windows.push_back({before, call.begin, i});
    before = std::max(before, call.end);
  }
  return windows;
}

void Explainer::Read(const Rank& rank, const std::vector<Window>& windows,
                     std::vector<StepClassTimes>* losses, std::vector<IdleCause>* causes) const {
  const Trace& trace = context_.trace();
  if (host_) {
    Ranges ranges;
    ranges.reserve(windows.size());
    for (const Window& w : windows) ranges.push_back({w.begin, w.end});
    return host_->Divide(rank.host, ranges, losses, causes, nullptr);
  }
  std::vector<const Lane*> lanes;
  for (const PlaneId device : rank.devices) {
    for (const Lane* lane : WorkLanes(trace, trace.planes[device.value])) lanes.push_back(lane);
  }
  IdleExplainer::Stream gaps(devices_->idle, rank.host, rank.devices.front(), losses, causes,
                             nullptr, nullptr);
  Sweep sweep(windows, losses, &gaps);
  ForEachByStart(lanes, [&](const Lane& lane, uint32_t i) {
    const auto c = static_cast<TimeClass>(devices_->classes[lane.meta[i]]);
    if (c == TimeClass::kUnknown || lane.dur[i] <= 0) return;
    const bool compute = c == TimeClass::kCompute16 || c == TimeClass::kCompute32;
    sweep.Add(lane.first_row + i, {lane.start[i], lane.end(i)}, compute);
  });
  sweep.Finish();
  gaps.Finish();
}

// The host's events of idle windows, summed for each call.
void AddCauses(const Trace& trace, const std::vector<Window>& windows,
               const std::vector<IdleCause>& causes, RankFacts* facts) {
  std::map<std::string, uint32_t> events;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> named;  // by event and what it is inside
  std::map<std::tuple<uint32_t, StepTimeClass, uint32_t>, Ps> sums;
  for (const IdleCause& cause : causes) {
    if (!cause.event.valid() || !IsIdle(cause.loss) || cause.loss == StepTimeClass::kUnknown)
      continue;
    const auto [it, added] = named.try_emplace({cause.event.value, cause.inside.value});
    if (added) {
      const auto next = static_cast<uint32_t>(facts->events.size());
      const auto [at, fresh] = events.try_emplace(CauseName(trace, cause), next);
      if (fresh) facts->events.push_back(at->first);
      it->second = at->second;
    }
    sums[{windows[cause.step].call, cause.loss, it->second}] += cause.time;
  }
  for (const auto& [key, time] : sums)
    facts->causes.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), time});
}

void Explainer::Explain(RankFacts* facts) const {
  const std::vector<Window> windows = FindWindows(facts);
  if (windows.empty()) return;
  std::vector<StepClassTimes> losses(windows.size());
  std::vector<IdleCause> causes;
  Read(facts->rank, windows, &losses, &causes);
  for (size_t w = 0; w < windows.size(); ++w) {
    for (size_t k = 0; k < kStepTimeClasses; ++k) {
      if (losses[w][k] != 0)
        facts->waits.push_back({windows[w].call, static_cast<StepTimeClass>(k), losses[w][k]});
    }
  }
  std::stable_sort(facts->waits.begin(), facts->waits.end(),
                   [](const RankWait& a, const RankWait& b) { return a.call < b.call; });
  AddCauses(context_.trace(), windows, causes, facts);
}

}  // namespace

void AddWaits(AnalysisContext& context, std::span<RankFacts> facts) {
  if (facts.empty()) return;
  // Either all ranks of a trace have devices or none (NumberRanks).
  const Explainer explainer(context, facts.front().rank.has_device);
  ParallelFor(facts.size(), [&](size_t rank) { explainer.Explain(&facts[rank]); });
}

}  // namespace stepscope
