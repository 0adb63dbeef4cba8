#include "model/analysis/ranks/late_causes.h"

#include <algorithm>
#include <map>
#include <memory>
#include <tuple>

#include "model/analysis/grouping/host_activity.h"
#include "model/analysis/intervals/lane_merge.h"
#include "model/analysis/steps/cause_name.h"
#include "model/analysis/steps/host_losses.h"
#include "model/analysis/steps/idle_causes.h"
#include "model/base/task.h"

namespace stepscope {
namespace {

// The time from the end of a rank's previous collective to its arrival at this one.
struct Window {
  Ps begin, end;
  uint32_t call;  // index in CollectiveCalls::calls
};

// Divides a device's time into compute, copies and gaps within windows, which are disjoint and
// sorted by begin.
class Sweep {
 public:
  Sweep(const std::vector<Window>& windows, std::vector<StepClassTimes>* losses)
      : windows_(windows), losses_(*losses) {}

  // Takes the events in order of begin.
  void Add(uint32_t row, TimeRange range, bool compute) {
    Gap(range.begin, row);
    if (compute) Cover(kCompute, std::max(range.begin, ends_[kCompute]), range.end);
    Cover(kAny, std::max(range.begin, ends_[kAny]), range.end);
    if (compute) ends_[kCompute] = std::max(ends_[kCompute], range.end);
    ends_[kAny] = std::max(ends_[kAny], range.end);
  }
  // Returns the idle intervals; time in which copies run and no kernel does counts as copies.
  std::vector<IdleGap> Finish() {
    Gap(kMaxPs, IdleGap::kNone);
    return std::move(gaps_);
  }

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
      gaps_.push_back({static_cast<uint32_t>(w), next, part.begin, part.end, ends_[kAny]});
    });
  }

  const std::vector<Window>& windows_;
  std::vector<StepClassTimes>& losses_;
  std::vector<IdleGap> gaps_;
  std::array<Ps, 2> ends_ = {kMinPs, kMinPs};
  std::array<size_t, 3> at_{};
};

// The work of one rank in its windows.
struct RankWork {
  std::vector<Window> windows;
  std::vector<StepClassTimes> losses;
  std::vector<IdleCause> causes;  // IdleCause::step is the window
};

// Finds the causes of the idle time of GPUs.
struct DeviceExplainer {
  DeviceExplainer(const Trace& trace, const StatTable& stats, const Grouping& grouping,
                  std::span<const Step> steps)
      : classes(DeviceClasses(trace)),
        activity(trace, stats, grouping, {}),
        idle(trace, grouping, activity, MarkedSteps(trace, steps), false) {}
  const std::vector<uint8_t> classes;
  const HostActivity activity;
  const IdleExplainer idle;
};

class Explainer {
 public:
  Explainer(AnalysisContext& context, const std::vector<Rank>& ranks, const CollectiveCalls& calls,
            std::stop_token stop)
      : context_(context),
        ranks_(ranks),
        calls_(calls),
        slots_(calls.calls.size(), kNone),
        work_(ranks.size()) {
    const Trace& trace = context.trace();
    const StatTable& stats = context.stats(stop);
    const Grouping& grouping = context.grouping(stop);
    const std::vector<Step>& steps = context.steps(stop).steps;
    const auto has_device = [](const Rank& rank) { return !rank.devices.empty(); };
    if (std::all_of(ranks.begin(), ranks.end(), has_device)) {
      devices_ = std::make_unique<DeviceExplainer>(trace, stats, grouping, steps);
    } else {  // then no rank has a device (ListRanks)
      host_ = std::make_unique<HostDivider>(trace, stats, grouping, steps);
    }
  }

  void FindWindows(const Lateness& lateness, const std::vector<uint32_t>& asked,
                   const std::vector<std::vector<RankStep>>& steps);
  void Read(size_t rank);
  LateCause CauseOf(const LateCollective& late, const PairedCollective& c,
                    StepClassTimes* excess) const;
  std::string EventOf(uint32_t rank, StepTimeClass loss, const std::vector<uint8_t>& late) const;

 private:
  static constexpr uint32_t kNone = 0xffffffffu;
  AnalysisContext& context_;
  const std::vector<Rank>& ranks_;
  const CollectiveCalls& calls_;
  std::unique_ptr<const DeviceExplainer> devices_;
  std::unique_ptr<const HostDivider> host_;  // in place of it, where ranks have no devices
  std::vector<uint32_t> slots_;              // by call: the window of its rank
  std::vector<RankWork> work_;
};

void Explainer::FindWindows(const Lateness& lateness, const std::vector<uint32_t>& asked,
                            const std::vector<std::vector<RankStep>>& steps) {
  std::vector<uint8_t> wanted(calls_.calls.size());
  for (const uint32_t c : asked) {
    if (!lateness.collectives[c].several) continue;
    const PairedCollective& of = calls_.paired[c];
    std::fill_n(wanted.begin() + of.first, of.count, uint8_t{1});
  }
  std::vector<uint32_t> order(calls_.calls.size());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    const CollectiveCall &x = calls_.calls[a], &y = calls_.calls[b];
    return std::tie(x.rank, x.begin, x.row) < std::tie(y.rank, y.begin, y.row);
  });
  Ps before = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    const CollectiveCall& call = calls_.calls[order[i]];
    const bool first = i == 0 || calls_.calls[order[i - 1]].rank != call.rank;
    // The window of the first collective begins with the rank's first step.
    if (first) before = steps[call.rank].empty() ? call.begin : steps[call.rank].front().span.begin;
    if (wanted[order[i]] != 0 && call.begin > before) {
      RankWork& work = work_[call.rank];
      slots_[order[i]] = static_cast<uint32_t>(work.windows.size());
      work.windows.push_back({before, call.begin, order[i]});
    }
    before = std::max(before, call.end);
  }
}

void Explainer::Read(size_t rank) {
  const Trace& trace = context_.trace();
  RankWork& work = work_[rank];
  work.losses.assign(work.windows.size(), {});
  if (work.windows.empty()) return;
  if (host_) {
    Ranges windows;
    windows.reserve(work.windows.size());
    for (const Window& w : work.windows) windows.push_back({w.begin, w.end});
    return host_->Divide(ranks_[rank].host, windows, &work.losses, &work.causes, nullptr);
  }
  std::vector<const Lane*> lanes;
  for (const PlaneId device : ranks_[rank].devices) {
    for (const Lane* lane : WorkLanes(trace, trace.planes[device.value])) lanes.push_back(lane);
  }
  Sweep sweep(work.windows, &work.losses);
  ForEachByStart(lanes, [&](const Lane& lane, uint32_t i) {
    const auto c = static_cast<TimeClass>(devices_->classes[lane.meta[i]]);
    if (c == TimeClass::kUnknown || lane.dur[i] <= 0) return;
    const bool compute = c == TimeClass::kCompute16 || c == TimeClass::kCompute32;
    sweep.Add(lane.first_row + i, {lane.start[i], lane.end(i)}, compute);
  });
  const std::vector<IdleGap> gaps = sweep.Finish();
  devices_->idle.Explain(ranks_[rank].host, ranks_[rank].devices.front(), gaps, &work.losses,
                         &work.causes, nullptr);
}

// The class in which the late rank exceeds the others' median most.
LateCause Explainer::CauseOf(const LateCollective& late, const PairedCollective& c,
                             StepClassTimes* excess) const {
  LateCause cause;
  const uint32_t slot = slots_[late.last];
  if (slot == kNone) return cause;
  std::vector<Ps> others;
  Ps most = 0;
  for (size_t k = 0; k < kStepTimeClasses; ++k) {
    others.clear();
    for (uint32_t i = c.first; i < c.first + c.count; ++i) {
      if (i == late.last) continue;
      const RankWork& work = work_[calls_.calls[i].rank];
      others.push_back(slots_[i] == kNone ? 0 : work.losses[slots_[i]][k]);
    }
    const Ps own = work_[calls_.calls[late.last].rank].losses[slot][k];
    const Ps more = own - (others.empty() ? 0 : MedianOf(&others));
    (*excess)[k] = SaturatingAdd((*excess)[k], more);
    if (more > most) cause.loss = static_cast<StepTimeClass>(k), most = more;
  }
  cause.known = most > 0;
  return cause;
}

// The host's event in most of that class's time before the collectives that the rank was late to.
std::string Explainer::EventOf(uint32_t rank, StepTimeClass loss,
                               const std::vector<uint8_t>& late) const {
  std::map<std::pair<uint32_t, uint32_t>, std::pair<Ps, const IdleCause*>> sums;
  for (const IdleCause& cause : work_[rank].causes) {
    if (cause.loss != loss || !cause.event.valid()) continue;
    if (late[work_[rank].windows[cause.step].call] == 0) continue;
    auto& [sum, first] = sums[{cause.event.value, cause.inside.value}];
    sum += cause.time;
    if (first == nullptr) first = &cause;
  }
  const IdleCause* found = nullptr;
  Ps most = 0;
  for (const auto& [key, of] : sums) {
    if (of.first > most) most = of.first, found = of.second;
  }
  return found == nullptr ? std::string() : CauseName(context_.trace(), *found);
}

}  // namespace

std::string TextOf(const LateCause& cause) {
  if (!cause.known) return {};
  return cause.loss == StepTimeClass::kHostToDevice ? "copies" : IdOf(cause.loss);
}

LateCauses FindLateCauses(AnalysisContext& context, const std::vector<Rank>& ranks,
                          const std::vector<std::vector<RankStep>>& steps,
                          const CollectiveCalls& calls, const Lateness& lateness,
                          const std::vector<uint32_t>& asked, std::stop_token stop) {
  LateCauses found;
  found.collectives.resize(asked.size());
  found.ranks.resize(ranks.size());
  if (asked.empty()) return found;
  Explainer explainer(context, ranks, calls, stop);
  explainer.FindWindows(lateness, asked, steps);
  ParallelFor(ranks.size(), [&](size_t rank) {
    if (!stop.stop_requested()) explainer.Read(rank);
  });
  if (stop.stop_requested()) return found;
  std::vector<StepClassTimes> excess(ranks.size());
  std::vector<uint8_t> late(calls.calls.size());
  for (size_t i = 0; i < asked.size(); ++i) {
    const LateCollective& of = lateness.collectives[asked[i]];
    if (!of.late) continue;
    late[of.last] = 1;
    found.collectives[i] =
        explainer.CauseOf(of, calls.paired[asked[i]], &excess[calls.calls[of.last].rank]);
  }
  for (uint32_t r = 0; r < ranks.size(); ++r) {
    const auto most = std::max_element(excess[r].begin(), excess[r].end());
    if (*most <= 0) continue;
    found.ranks[r].loss = static_cast<StepTimeClass>(most - excess[r].begin());
    found.ranks[r].known = true;
    const StepTimeClass loss = found.ranks[r].loss;
    if (IsIdle(loss) && loss != StepTimeClass::kUnknown)
      found.ranks[r].event = explainer.EventOf(r, loss, late);
  }
  return found;
}

}  // namespace stepscope
