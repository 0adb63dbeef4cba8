// Programs whose device is the CPU: time in no op is idle, and is
// explained like idle time of a device.
#include <algorithm>
#include <map>
#include <utility>

#include "model/analysis/grouping/host_collectives.h"
#include "model/analysis/intervals/event_order.h"
#include "model/analysis/naming/op_name.h"
#include "model/analysis/naming/time_classes.h"
#include "model/analysis/steps/host_losses.h"
#include "model/capabilities.h"
#include "model/string_pool.h"

namespace stepscope {

namespace {

// Runs the ops of a program that XLA compiled.
constexpr std::string_view kThunks = "ThunkExecutor::Execute";
constexpr uint8_t kProgram = 2;  // in HostOpNames::ops: a call of a compiled program

// A call that runs one op. A call that runs a whole function, which TensorFlow names
// __inference_... and the like, waits for the ops inside it.
bool IsEagerOp(std::string_view name) {
  constexpr std::string_view kCall = "EagerLocalExecute: ";
  return name.starts_with(kCall) && !name.substr(kCall.size()).starts_with("__");
}

// Whether the name is that of an op; `name` is also what a long name spells out.
bool IsOpName(std::string_view name) {
  const OpCategory category = ParseOpName(name).category;
  return category == OpCategory::kTensorFlow || category == OpCategory::kJax;
}

// Whether tf.data runs the event: an iterator, or a function of the pipeline.
bool IsOfTfData(std::string_view name) {
  const HostEventType type = ClassifyHostEvent(name);
  if (type == HostEventType::kIterator || type == HostEventType::kCapturedFunction) return true;
  return type == HostEventType::kOtherKnown &&
         (name.ends_with("Produce") || name.ends_with("Consume"));
}

bool Waits(std::string_view name, EventCategory category) {
  const HostRole role = RoleOfHostEvent(name, category);
  return role == HostRole::kWait || role == HostRole::kSave;
}

// A trace.json shows an op by its type and has its name as long name: "MatMul" of
// "net/dense/MatMul:MatMul".
void AddLongNames(const Trace& trace, const StatTable& stats, std::vector<uint8_t>* ops) {
  if (!CapabilitiesOf(trace).long_names_for_tf_op) return;
  const NameTable& names = trace.names();
  RowReader reader(trace.set);
  stats.Text(StringStat::kTfOp).ForAll([&](uint32_t row, StringId long_name) {
    uint8_t& op = (*ops)[reader.Meta(row)];
    if (op != 0) return;
    const EventMeta& meta = names.metas[reader.Meta(row)];
    const std::string_view name = names.strings.View(meta.name);
    op =
        IsOpName(stats.strings->View(long_name)) && !Waits(name, meta.category) && !IsWrapper(name);
  });
}

// JAX on the CPU before thunks: the compiled program runs inside such a call.
bool AddPrograms(const NameTable& names, std::vector<uint8_t>* ops) {
  const auto add = [&](const auto& is_call) {
    bool any = false;
    for (size_t m = 0; m < ops->size(); ++m) {
      if (!is_call(names.strings.View(names.metas[m].name))) continue;
      (*ops)[m] = kProgram;
      any = true;
    }
    return any;
  };
  const auto ends = [](std::string_view call) {
    return [call](std::string_view name) { return name.ends_with(call); };
  };
  return add(ends("CpuExecutable::ExecuteHelper")) || add(ends("CpuExecutable::Execute"));
}

}  // namespace

HostOpNames::HostOpNames(const Trace& trace, const StatTable& stats) {
  const NameTable& names = trace.names();
  const bool pytorch = CapabilitiesOf(trace).pytorch_events;
  ops.resize(names.metas.size());
  inputs.resize(names.metas.size());
  bool thunks = false;
  for (size_t m = 0; m < ops.size(); ++m) {
    const EventMeta& meta = names.metas[m];
    const std::string_view name = names.strings.View(meta.name);
    if (pytorch) {
      ops[m] = meta.category == EventCategory::kCpuOp && !IsHostCollective(name);
      continue;
    }
    inputs[m] = IsOfTfData(name);
    thunks = thunks || name == kThunks;
    ops[m] = !Waits(name, meta.category) &&
             ((IsOpName(name) && !IsWrapper(name)) || IsEagerOp(name) || name == kThunks);
  }
  if (pytorch) return;
  AddLongNames(trace, stats, &ops);
  if (!thunks && stats.Text(StringStat::kHloOp).empty()) programs = AddPrograms(names, &ops);
}

namespace {

// Divides the steps of one host.
void DivideSteps(const HostDivider& divider, HostId host, StepDatabase* db) {
  Ranges windows;
  std::vector<uint32_t> steps;  // by window
  for (uint32_t s = 0; s < db->steps.size(); ++s) {
    if (db->steps[s].host != host) continue;
    if (!windows.empty() && db->steps[s].span.begin < windows.back().end)
      return;  // they overlap: nothing to divide
    windows.push_back(db->steps[s].span);
    steps.push_back(s);
  }
  if (windows.empty()) return;
  std::vector<StepClassTimes> losses;
  std::vector<IdleCause> causes;
  IdleIntervals intervals;
  divider.Divide(host, windows, &losses, &causes, &intervals);
  if (losses.empty()) return;
  for (IdleInterval& interval : intervals.longest) interval.step = steps[interval.step];
  db->idle.Append(intervals);
  for (IdleCause& cause : causes) {
    cause.step = steps[cause.step];
    db->causes.push_back(cause);
  }
  for (size_t w = 0; w < windows.size(); ++w) {
    for (size_t c = 0; c < kStepTimeClasses; ++c)
      db->steps[steps[w]].class_times[c] = static_cast<double>(losses[w][c]);
  }
}

}  // namespace

HostDivider::HostDivider(const Trace& trace, const StatTable& stats, const Grouping& grouping,
                         std::span<const Step> steps)
    : trace_(trace),
      stats_(stats),
      grouping_(grouping),
      names_(trace, stats),
      collectives_(HostCollectiveMetas(trace.names())),
      activity_(trace, stats, grouping, names_.ops),
      explainer_(trace, grouping, activity_, MarkedSteps(trace, steps), true) {}

namespace {

// When events of these names run on a thread.
Ranges TimesOf(const Trace& trace, const Track& thread, const std::vector<uint8_t>& metas) {
  Ranges times;
  for (const Lane& lane : trace.set.LanesOf(thread)) {
    for (uint32_t i = 0; i < lane.size(); ++i) {
      if (metas[lane.meta[i]] != 0 && lane.dur[i] > 0)
        times.push_back({lane.start[i], lane.end(i)});
    }
  }
  return UnionOf(std::move(times));
}

}  // namespace

// XLA's ops count by their own names, all others if they belong to a step. What tf.data runs is
// input.
void HostDivider::AddOps(const Track& thread, Ranges* compute) const {
  const bool ungrouped = grouping_.groups.empty();
  const auto& hlo = stats_.Text(StringStat::kHloOp);
  const Ranges inputs = TimesOf(trace_, thread, names_.inputs);
  for (const Lane& lane : trace_.set.LanesOf(thread)) {
    auto input = inputs.begin();
    for (uint32_t i = 0; i < lane.size(); ++i) {
      while (input != inputs.end() && input->end <= lane.start[i]) ++input;
      const bool of_input = input != inputs.end() && input->begin <= lane.start[i];
      const bool xla = names_.ops[lane.meta[i]] == kProgram ||
                       trace_.names().Name(MetaId(lane.meta[i])) == kThunks;
      const bool op = names_.ops[lane.meta[i]] != 0 && !of_input &&
                      (xla || ungrouped || grouping_.group[lane.first_row + i] >= 0);
      if (op && lane.dur[i] > 0) compute->push_back({lane.start[i], lane.end(i)});
    }
    hlo.ForRange(lane.first_row, lane.first_row + lane.size(), [&](uint32_t row, StringId) {
      const uint32_t i = row - lane.first_row;
      if (lane.dur[i] > 0) compute->push_back({lane.start[i], lane.end(i)});
    });
  }
}

// When ops run. PyTorch's count on the threads of the program, but not inside a loader there: that
// is input.
Ranges HostDivider::Compute(HostId host, const Ranges& windows) const {
  Ranges compute;
  const bool pytorch = CapabilitiesOf(trace_).pytorch_events;
  for (const Track* thread : HostThreadsOf(trace_, host)) {
    CheckStop();
    if (!pytorch) {
      AddOps(*thread, &compute);
      continue;
    }
    for (const HostPiece& piece : activity_.During(*thread, windows)) {
      if (piece.state == HostState::kCompute) compute.push_back({piece.begin, piece.end});
    }
  }
  return UnionOf(std::move(compute));
}

// Time in which nothing computes and a collective runs is the collective's; the other parts of the
// gaps are returned. All collectives of one window and name are one cause.
std::vector<IdleGap> HostDivider::TakeCollectives(HostId host, const std::vector<IdleGap>& gaps,
                                                  std::vector<StepClassTimes>* losses,
                                                  std::vector<IdleCause>* causes) const {
  const std::vector<HostCollective> all = CollectivesOfHost(trace_, host, collectives_);
  if (all.empty()) return gaps;
  std::map<std::pair<uint32_t, uint32_t>, IdleCause> sums;  // by window and MetaId
  std::vector<IdleGap> left;
  auto first = all.begin();
  for (const IdleGap& gap : gaps) {
    while (first != all.end() && first->end <= gap.begin) ++first;
    Ps at = gap.begin;
    for (auto c = first; c != all.end() && c->begin < gap.end; ++c) {
      const TimeRange part{std::max(c->begin, at), std::min(c->end, gap.end)};
      if (part.empty()) continue;
      if (part.begin > at) left.push_back({gap.window, gap.next_row, at, part.begin});
      at = part.end;
      At((*losses)[gap.window], StepTimeClass::kCollective) += part.length();
      IdleCause& cause = sums[{gap.window, c->meta}];
      cause.time += part.length();
      if (cause.count < cause.rows.size()) cause.rows[cause.count] = EventRow(c->row);
      if (part.length() > cause.longest.length()) cause.longest = part;
      ++cause.count;
    }
    if (at < gap.end) left.push_back({gap.window, gap.next_row, at, gap.end});
  }
  for (auto& [key, cause] : sums) {
    cause.step = key.first;
    cause.loss = StepTimeClass::kCollective;
    cause.event = MetaId(key.second);
    causes->push_back(cause);
  }
  return left;
}

void HostDivider::Divide(HostId host, const Ranges& windows, std::vector<StepClassTimes>* losses,
                         std::vector<IdleCause>* causes, IdleIntervals* intervals) const {
  losses->clear();
  const Ranges compute = Compute(host, windows);
  CheckStop();
  losses->resize(windows.size());
  std::vector<IdleGap> gaps;
  auto busy = compute.begin();
  for (uint32_t w = 0; w < windows.size(); ++w) {
    Ps at = windows[w].begin;
    const Ps end = windows[w].end;
    while (busy != compute.end() && busy->end <= at) ++busy;
    for (auto it = busy; it != compute.end() && it->begin < end; ++it) {
      if (it->begin > at) gaps.push_back({w, IdleGap::kNone, at, it->begin});
      const Ps to = std::min(it->end, end);
      At((*losses)[w], StepTimeClass::kCompute) += to - std::max(it->begin, at);
      at = to;
    }
    if (at < end) gaps.push_back({w, IdleGap::kNone, at, end});
  }
  gaps = TakeCollectives(host, gaps, losses, causes);
  explainer_.Explain(host, PlaneId(), gaps, losses, causes, intervals);
}

void AddHostLosses(const Trace& trace, const StatTable& stats, const Grouping& grouping,
                   StepDatabase* db) {
  const HostDivider divider(trace, stats, grouping, db->steps);
  db->programs_as_ops = divider.programs();
  for (uint32_t h = 0; h < trace.hosts.size(); ++h) DivideSteps(divider, HostId(h), db);
  db->idle.Finish();
}

}  // namespace stepscope
