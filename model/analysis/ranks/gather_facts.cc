#include "model/analysis/ranks/gather_facts.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "model/analysis/grouping/host_activity.h"
#include "model/analysis/grouping/host_collectives.h"
#include "model/analysis/intervals/lane_merge.h"
#include "model/analysis/naming/collectives.h"
#include "model/analysis/ranks/clocks.h"
#include "model/analysis/ranks/collective_calls.h"
#include "model/analysis/steps/cause_name.h"
#include "model/analysis/steps/host_losses.h"
#include "model/analysis/steps/idle_causes.h"
#include "model/base/statistics.h"
#include "model/jobs/job.h"
#include "model/string_pool.h"

namespace stepscope {
namespace {

class CallReader {
 public:
  CallReader(AnalysisContext& context, RankFacts* facts)
      : names_(context.trace().names()), stats_(context.stats()), facts_(*facts) {}
  void Add(const DeviceEvent& e);

 private:
  using GroupKey = std::tuple<uint32_t, uint32_t, bool, int64_t, int64_t>;
  struct ByName {
    uint32_t name = 0;
    bool two = false;  // a message between two ranks
  };
  const ByName& NameOf(const DeviceEvent& e, EventRow row);
  uint32_t GroupOf(EventRow row, bool two, bool has_order);
  uint32_t HcclGroup(std::string_view name);
  int64_t BytesOf(EventRow row) const;

  const NameTable& names_;
  const StatTable& stats_;
  RankFacts& facts_;
  std::map<GroupKey, uint32_t> groups_;
  std::map<std::string, uint32_t, std::less<>> hccl_groups_;  // by name
  std::map<std::string, uint32_t> names_by_text_;
  std::map<std::pair<uint32_t, uint32_t>, ByName> name_of_;  // by recorded name and meta
};

const CallReader::ByName& CallReader::NameOf(const DeviceEvent& e, EventRow row) {
  const StringId given = stats_.Text(StringStat::kCollectiveName).Find(row).value_or(StringId());
  const auto [it, added] = name_of_.try_emplace({given.value, given.valid() ? 0 : e.meta});
  if (!added) return it->second;
  std::string_view of =
      given.valid() ? stats_.strings->View(given) : names_.DisplayName(MetaId(e.meta));
  if (const auto hccl = ParseHcclCall(of)) of = hccl->op;
  const CollectiveKind kind = KindOfCollective(of);
  std::string text(of);
  if (!given.valid() && kind != CollectiveKind::kOther) text = stepscope::NameOf(kind);
  it->second.two = kind == CollectiveKind::kSendRecv;
  if (it->second.two) text = stepscope::NameOf(kind);  // a send and its receive are one collective
  const auto next = static_cast<uint32_t>(facts_.names.size());
  const auto [named, is_new] = names_by_text_.try_emplace(text, next);
  if (is_new) facts_.names.push_back(text);
  it->second.name = named->second;
  return it->second;
}

// The group of a call. A message between two ranks has a group of its two ends only.
uint32_t CallReader::GroupOf(EventRow row, bool two, bool has_order) {
  RankGroup group;
  group.has_order = has_order;
  if (two) {
    group.from = stats_.Int(IntStat::kSourceRank).Find(row).value_or(-1);
    group.to = stats_.Int(IntStat::kTargetRank).Find(row).value_or(-1);
    if (group.from < 0 || group.to < 0 || group.from == group.to) return RankCall::kNoGroup;
  }
  const StringId name = stats_.Text(StringStat::kProcessGroup).Find(row).value_or(StringId());
  const StringId ranks = stats_.Text(StringStat::kGroupRanks).Find(row).value_or(StringId());
  const auto next = static_cast<uint32_t>(facts_.groups.size());
  const auto [it, added] =
      groups_.try_emplace({name.value, ranks.value, has_order, group.from, group.to}, next);
  if (!added) return it->second;
  if (name.valid()) group.name = std::string(stats_.strings->View(name));
  if (ranks.valid()) group.ranks = std::string(stats_.strings->View(ranks));
  facts_.groups.push_back(std::move(group));
  return it->second;
}

// The group of a call that says it in its name.
uint32_t CallReader::HcclGroup(std::string_view name) {
  const auto next = static_cast<uint32_t>(facts_.groups.size());
  const auto [it, added] = hccl_groups_.try_emplace(std::string(name), next);
  if (added) facts_.groups.push_back({it->first, {}, false, -1, -1});
  return it->second;
}

// Bytes of the larger side; -1 if unknown.
int64_t CallReader::BytesOf(EventRow row) const {
  const int64_t in = stats_.Int(IntStat::kInElements).Find(row).value_or(0);
  const int64_t out = stats_.Int(IntStat::kOutElements).Find(row).value_or(0);
  const auto type = stats_.Text(StringStat::kElementType).Find(row);
  const int64_t each = type ? ElementBytes(stats_.strings->View(*type)) : 0;
  int64_t bytes = 0;
  if (each == 0 || std::max(in, out) <= 0) return -1;
  return __builtin_mul_overflow(std::max(in, out), each, &bytes) ? -1 : bytes;
}

void CallReader::Add(const DeviceEvent& e) {
  const EventRow row(e.row);
  const ByName name = NameOf(e, row);
  const std::optional<int64_t> seq = stats_.Int(IntStat::kCollectiveSeq).Find(row);
  const bool has_order = seq.has_value() && !name.two;  // a rank's messages are counted here
  RankCall call;
  call.row = e.row;
  call.begin = call.since = e.begin;
  call.end = e.end;
  call.name = name.name;
  const auto hccl = ParseHcclCall(names_.DisplayName(MetaId(e.meta)));
  const bool named = hccl && !name.two;
  call.group = named ? HcclGroup(hccl->group) : GroupOf(row, name.two, has_order);
  call.bytes = BytesOf(row);
  call.group_size = stats_.Int(IntStat::kGroupSize).Find(row).value_or(0);
  if (const RankStep* step = StepAt(facts_.steps, e.begin)) {
    call.in_step = true;
    call.step = step->number;
  } else if (!facts_.steps.empty() && e.begin < facts_.steps.front().span.begin) {
    call.order = std::numeric_limits<int64_t>::min();
  } else if (!facts_.steps.empty()) {
    call.order = std::numeric_limits<int64_t>::max();
  }
  if (call.in_step) call.order = call.step;
  if (has_order) call.order = *seq;
  facts_.calls.push_back(call);
}

// Adds names, groups and calls to facts that have a rank and its steps. `on_host`:
// HostCollectiveMetas(). O(device events).
void AddCalls(AnalysisContext& context, const DeviceEvents& events,
              const std::vector<uint8_t>& on_host, RankFacts* facts) {
  CallReader reader(context, facts);
  const Rank& rank = facts->rank;
  if (rank.devices.empty()) {
    const TimeScope& scope = events.scope().OfHost(rank.host);
    for (const HostCollective& c : CollectivesOfHost(context.trace(), rank.host, on_host)) {
      if (scope.Contains(c.call))
        reader.Add({c.row, c.meta, c.track, c.begin, c.end, TimeClass::kCollectives, {}});
    }
  }
  for (const PlaneId device : rank.devices) {
    CheckStop();
    events.ForEach(device, [&](const DeviceEvent& e) {
      if (e.time_class == TimeClass::kCollectives) reader.Add(e);
    });
  }
}

// --- the time before each collective, by classes of losses, and the host's events in idle time ---

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

// Sets RankCall::since and explained, and adds waits, events and causes to the facts of ranks of
// one trace, which have their calls. O(device events + host events in idle time), on all cores.
void AddWaits(AnalysisContext& context, std::span<RankFacts> facts) {
  if (facts.empty()) return;
  // Either all ranks of a trace have devices or none (NumberRanks).
  const Explainer explainer(context, facts.front().rank.has_device);
  ParallelFor(facts.size(), [&](size_t rank) { explainer.Explain(&facts[rank]); });
}

constexpr size_t kMostKernels = 100;  // of a rank; those with most time

struct KernelRuns {
  Ps total = 0;
  std::vector<Ps> durations;
};

void AddKernels(const Trace& trace, const DeviceEvents& events, RankFacts* facts) {
  std::map<std::string_view, KernelRuns> by_name;  // equal names may have several metas
  std::map<uint32_t, KernelRuns*> by_meta;
  for (const PlaneId device : facts->rank.devices) {
    events.ForEach(device, [&](const DeviceEvent& e) {
      if (!e.is_compute()) return;
      KernelRuns*& runs = by_meta[e.meta];
      if (runs == nullptr) runs = &by_name[trace.names().DisplayName(MetaId(e.meta))];
      runs->total = SaturatingAdd(runs->total, e.length());
      runs->durations.push_back(e.length());
    });
  }
  for (auto& [name, runs] : by_name) {
    const auto count = static_cast<int64_t>(runs.durations.size());
    facts->kernels.push_back({std::string(name), count, runs.total, Median(runs.durations)});
  }
  std::stable_sort(facts->kernels.begin(), facts->kernels.end(),
                   [](const RankKernel& a, const RankKernel& b) { return a.total > b.total; });
  if (facts->kernels.size() > kMostKernels) facts->kernels.resize(kMostKernels);
}

}  // namespace

std::vector<RankFacts> GatherFacts(AnalysisContext& context, const AnalysisParams& params,
                                   FactsDepth depth) {
  AnalysisParams whole;  // participants are paired wherever they begin
  whole.hosts = params.hosts;
  const DeviceEvents events(context, whole);
  std::vector<Rank> ranks = ListRanks(context.trace(), whole, events);
  if (ranks.size() < 2 && depth != FactsDepth::kAll) {
    std::vector<RankFacts> alone(ranks.size());
    for (size_t r = 0; r < ranks.size(); ++r) alone[r].rank = std::move(ranks[r]);
    return alone;
  }
  std::vector<std::vector<RankStep>> steps =
      StepsOfRanks(ranks, context.Get<StepDatabase>(), events.scope());
  const std::vector<uint8_t> on_host = HostCollectiveMetas(context.trace().names());
  std::vector<RankFacts> facts(ranks.size());
  ParallelFor(ranks.size(), [&](size_t r) {
    facts[r].rank = std::move(ranks[r]);
    facts[r].steps = std::move(steps[r]);
    CheckStop();
    AddCalls(context, events, on_host, &facts[r]);
    if (depth == FactsDepth::kAll) AddKernels(context.trace(), events, &facts[r]);
  });
  if (depth != FactsDepth::kCalls) AddWaits(context, facts);
  return facts;
}

}  // namespace stepscope
