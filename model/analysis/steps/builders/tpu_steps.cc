#include "model/analysis/steps/builders/tpu_steps.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "model/analysis/steps/idle_causes.h"
#include "model/analysis/tpu/core.h"
#include "model/base/statistics.h"

namespace stepscope {
namespace {

constexpr double kCutShare = 0.6;  // of the median's ops: a first or last step with fewer is cut

StepTimeClass ClassOf(CoreWork work) {
  switch (work) {
    case CoreWork::kCopyFromHost:
      return StepTimeClass::kHostToDevice;
    case CoreWork::kCopyToHost:
    case CoreWork::kOutfeed:
      return StepTimeClass::kDeviceToHost;
    case CoreWork::kCopyOnDevice:
      return StepTimeClass::kDeviceToDevice;
    case CoreWork::kCollective:
      return StepTimeClass::kCollective;
    case CoreWork::kInfeed:
      return StepTimeClass::kInput;
    case CoreWork::kCompute:
      break;
  }
  return StepTimeClass::kCompute;
}

// The classes of a core's step. They exclude each other and sum to it.
StepClassTimes Divide(const Trace& trace, const StatTable& stats, const TpuCore& core,
                      const CoreStep& step) {
  StepClassTimes times{};
  Ps busy = 0, barrier = 0;
  for (size_t i = step.first; i < step.last; ++i) {
    const CoreOp& op = core.ops[i];
    At(times, ClassOf(WorkOf(trace, stats, op))) += op.self;
    busy = SaturatingAdd(busy, op.self);
    if (i > step.first || op.begin > step.begin) barrier += core.barrier[i];
  }
  const Ps rest = std::max<Ps>(0, SaturatingSub(SaturatingSub(step.end, step.begin), busy));
  At(times, StepTimeClass::kCollectiveWait) = std::min(barrier, rest);
  At(times, StepTimeClass::kUnknown) = std::max<Ps>(0, rest - barrier);
  return times;
}

StepBreakdown ColumnsOf(const StepClassTimes& times) {
  const auto of = [&](StepTimeClass c) { return static_cast<double>(At(times, c)); };
  StepBreakdown t;
  t.compute = of(StepTimeClass::kCompute);
  t.device_to_device = of(StepTimeClass::kDeviceToDevice);
  t.collectives = of(StepTimeClass::kCollective) + of(StepTimeClass::kCollectiveWait);
  t.host_to_device = of(StepTimeClass::kHostToDevice);
  t.input = of(StepTimeClass::kInput) + t.host_to_device;
  t.output = of(StepTimeClass::kDeviceToHost);
  t.other = of(StepTimeClass::kUnknown);
  for (const Ps time : times) t.total += static_cast<double>(time);
  return t;
}

// The ops of a step that make up its losses, as their causes: the largest of each class, and the
// rest of the class as one.
void AddCauses(const Trace& trace, const StatTable& stats, const TpuCore& core,
               const CoreStep& step, uint32_t number, std::vector<IdleCause>* causes) {
  std::map<std::pair<StepTimeClass, uint32_t>, IdleCause> by_op;
  for (size_t i = step.first; i < step.last; ++i) {
    const CoreOp& op = core.ops[i];
    const StepTimeClass loss = ClassOf(WorkOf(trace, stats, op));
    if (loss == StepTimeClass::kCompute || op.self <= 0) continue;
    IdleCause& cause = by_op[{loss, op.meta}];
    cause.step = number;
    cause.device = core.id;
    cause.loss = loss;
    cause.event = MetaId(op.meta);
    if (cause.count < cause.rows.size()) cause.rows[cause.count] = op.row;
    cause.time += op.self;
    ++cause.count;
    if (op.self > cause.longest.length()) cause.longest = core.Session(op.begin, op.end());
  }
  std::map<StepTimeClass, std::vector<IdleCause>> by_class;
  for (auto& [key, cause] : by_op) by_class[key.first].push_back(cause);
  for (auto& [loss, all] : by_class) {
    std::stable_sort(all.begin(), all.end(),
                     [](const IdleCause& a, const IdleCause& b) { return a.time > b.time; });
    for (size_t i = kCausesOfClass + 1; i < all.size(); ++i) {
      all[kCausesOfClass].time += all[i].time;
      all[kCausesOfClass].count += all[i].count;
    }
    if (all.size() > kCausesOfClass + 1) {
      all.resize(kCausesOfClass + 1);
      all.back().event = MetaId();
    }
    causes->insert(causes->end(), all.begin(), all.end());
  }
}

DeviceStep DeviceStepOf(const TpuCore& core, const CoreStep& step, const StepClassTimes& times,
                        uint32_t number) {
  DeviceStep d;
  d.step = number;
  d.device = core.id;
  d.span = step.span;
  d.class_times = times;
  d.times = ColumnsOf(times);
  d.input_wait = At(times, StepTimeClass::kInput);
  d.host_input_wait = d.input_wait;
  d.h2d = At(times, StepTimeClass::kHostToDevice);
  d.d2h = At(times, StepTimeClass::kDeviceToHost);
  d.collective_wait = At(times, StepTimeClass::kCollectiveWait);
  d.idle = At(times, StepTimeClass::kUnknown);
  d.events = static_cast<uint32_t>(step.last - step.first);
  return d;
}

// The steps of one host's cores, joined.
class HostStepsBuilder {
 public:
  HostStepsBuilder(const Trace& trace, const StatTable& stats, HostId host, StepDatabase* db)
      : trace_(trace), stats_(stats), host_(host), db_(*db) {}

  void Add(const std::vector<TpuCore>& cores, const std::vector<std::vector<CoreStep>>& steps,
           bool inferred) {
    size_t most = 0;
    for (const std::vector<CoreStep>& of_core : steps) most = std::max(most, of_core.size());
    for (size_t k = 0; k < most; ++k) AddStep(cores, steps, k, inferred);
    MarkCut();
  }

 private:
  void AddStep(const std::vector<TpuCore>& cores, const std::vector<std::vector<CoreStep>>& steps,
               size_t k, bool inferred) {
    const auto number = static_cast<uint32_t>(db_.steps.size());
    Step step;
    step.host = host_;
    step.inferred = inferred;
    uint32_t events = 0;
    double n = 0;
    for (size_t c = 0; c < cores.size(); ++c) n += k < steps[c].size() ? 1 : 0;
    for (size_t c = 0; c < cores.size(); ++c) {
      if (k >= steps[c].size()) continue;
      const CoreStep& mine = steps[c][k];
      const StepClassTimes times = Divide(trace_, stats_, cores[c], mine);
      db_.device_steps.push_back(DeviceStepOf(cores[c], mine, times, number));
      AddCauses(trace_, stats_, cores[c], mine, number, &db_.causes);
      for (size_t i = 0; i < kStepTimeClasses; ++i)
        step.class_times[i] += static_cast<double>(times[i]) / n;
      if (step.rows.empty())
        step.label = mine.label, step.group = mine.group, step.span = mine.span;
      step.span = {std::min(step.span.begin, mine.span.begin),
                   std::max(step.span.end, mine.span.end)};
      step.rows.push_back(mine.row);
      events = std::max(events, db_.device_steps.back().events);
      Accumulate(db_.device_steps.back().times, 1 / n, &step.times);
    }
    events_.push_back(events);
    db_.steps.push_back(std::move(step));
  }

  static void Accumulate(const StepBreakdown& t, double share, StepBreakdown* sum) {
    for (double StepBreakdown::*field :
         {&StepBreakdown::compute, &StepBreakdown::device_to_device, &StepBreakdown::collectives,
          &StepBreakdown::host_to_device, &StepBreakdown::input, &StepBreakdown::output,
          &StepBreakdown::other, &StepBreakdown::total})
      sum->*field += t.*field * share;
  }

  void MarkCut() {
    if (events_.size() < 3) return;
    const double least = kCutShare * Median(std::vector<double>(events_.begin(), events_.end()));
    const size_t first = db_.steps.size() - events_.size();
    for (const size_t k : {size_t{0}, events_.size() - 1})
      db_.steps[first + k].partial = events_[k] < least;
  }

  const Trace& trace_;
  const StatTable& stats_;
  const HostId host_;
  StepDatabase& db_;
  std::vector<uint32_t> events_;  // by step, on the core with most
};

// XProf's way to one step from the times of its cores, all ps.
StepBreakdown XprofCombine(const std::vector<StepBreakdown>& cores) {
  StepBreakdown all;
  const double n = static_cast<double>(cores.size());
  bool overflows = false;  // a core has more op time than the step
  for (const StepBreakdown& t : cores) all.total = std::max(all.total, t.total);
  all.compute = all.total;
  for (const StepBreakdown& t : cores) {
    all.input = std::max(all.input, t.input);
    all.compute = std::min(all.compute, t.compute);
    all.output += t.output / n;
    all.collectives += t.collectives / n;
    overflows = overflows || t.compute + t.input + t.output + t.collectives > all.total;
  }
  if (overflows) all.compute = 0;
  all.other = std::max(0.0, all.total - all.input - all.compute - all.output - all.collectives);
  return all;
}

// The times of a core's step by XProf's classes, in which an op that waits computes.
StepBreakdown XprofTimes(const Trace& trace, const StatTable& stats, const TpuCore& core,
                         const CoreStep& step) {
  StepBreakdown t;
  t.total = static_cast<double>(step.end - step.begin);
  for (size_t i = step.first; i < step.last; ++i) {
    const CoreWork work = WorkOf(trace, stats, core.ops[i]);
    double& time = work == CoreWork::kInfeed       ? t.input
                   : work == CoreWork::kOutfeed    ? t.output
                   : work == CoreWork::kCollective ? t.collectives
                                                   : t.compute;
    time += static_cast<double>(core.ops[i].self);
  }
  t.other = std::max(0.0, t.total - t.compute - t.input - t.output - t.collectives);
  return t;
}

void AddXprofHost(const Trace& trace, const StatTable& stats, HostId host,
                  const std::vector<TpuCore>& cores, StepDatabase* db) {
  const CoreSteps found = StepsOfLines(trace, stats, cores);
  size_t most = 0;
  for (const auto& steps : found.steps) most = std::max(most, steps.size());
  for (size_t k = 0; k < most; ++k) {
    Step step;
    step.host = host;
    std::vector<StepBreakdown> times;
    for (size_t c = 0; c < cores.size(); ++c) {
      if (k >= found.steps[c].size()) continue;
      const CoreStep& mine = found.steps[c][k];
      times.push_back(XprofTimes(trace, stats, cores[c], mine));
      if (step.rows.empty()) step.label = mine.label, step.span = mine.span;
      step.span = {std::min(step.span.begin, mine.span.begin),
                   std::max(step.span.end, mine.span.end)};
      step.rows.push_back(mine.row);
    }
    step.times = XprofCombine(times);
    db->steps.push_back(std::move(step));
  }
}

}  // namespace

StepDatabase TpuSteps(const Trace& trace, const StatTable& stats, const Grouping& grouping) {
  StepDatabase db;
  db.kind = DeviceKind::kTpu;
  for (uint32_t h = 0; h < trace.hosts.size(); ++h) {
    CheckStop();
    const std::vector<TpuCore> cores = CoresOf(trace, stats, HostId(h));
    if (cores.empty()) continue;
    const CoreSteps found = FindCoreSteps(trace, stats, grouping, cores);
    HostStepsBuilder(trace, stats, HostId(h), &db).Add(cores, found.steps, found.inferred);
    db.inferred = db.inferred || found.inferred;
    db.how = found.how;
  }
  MarkFirst(&db.steps);
  std::stable_sort(db.causes.begin(), db.causes.end(), [](const IdleCause& a, const IdleCause& b) {
    return std::pair(a.device.value, a.step) < std::pair(b.device.value, b.step);
  });
  return db;
}

StepDatabase XprofTpuSteps(const Trace& trace, const StatTable& stats) {
  StepDatabase db;
  db.kind = DeviceKind::kTpu;
  for (uint32_t h = 0; h < trace.hosts.size(); ++h)
    AddXprofHost(trace, stats, HostId(h), CoresOf(trace, stats, HostId(h)), &db);
  db.how = "From the Steps line of each TPU core.";
  return db;
}

std::vector<AsyncWait> AsyncWaitsOf(const Trace& trace, const StatTable& stats,
                                    const StepDatabase& db) {
  AsyncWaits waits(trace, stats);
  const bool all =
      std::none_of(db.steps.begin(), db.steps.end(), [](const Step& s) { return s.counts(); });
  for (uint32_t h = 0; h < trace.hosts.size(); ++h) {
    for (const TpuCore& core : CoresOf(trace, stats, HostId(h))) {
      std::vector<std::pair<size_t, size_t>> parts;
      const auto bound = [&](Ps time) {
        const auto before = [&](const CoreOp& op, Ps t) {
          return core.clock.ToSession(op.begin) < t;
        };
        return static_cast<size_t>(
            std::lower_bound(core.ops.begin(), core.ops.end(), time, before) - core.ops.begin());
      };
      for (const DeviceStep& d : db.device_steps) {
        if (d.device == core.id && (all || db.steps[d.step].counts()))
          parts.emplace_back(bound(d.span.begin), bound(d.span.end));
      }
      std::sort(parts.begin(), parts.end());
      waits.AddCore(core.ops, parts);
    }
  }
  return waits.Take();
}

}  // namespace stepscope
