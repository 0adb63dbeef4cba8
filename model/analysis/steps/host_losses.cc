// Programs whose device is the CPU: time in no op is idle, and is
// explained like idle time of a device.
#include <algorithm>
#include <map>
#include <utility>

#include "model/analysis/grouping/host_collectives.h"
#include "model/analysis/naming/op_name.h"
#include "model/analysis/naming/time_classes.h"
#include "model/analysis/steps/host_losses.h"
#include "model/capabilities.h"

namespace stepscope {

namespace {

// A call that runs one op. A call that runs a whole function, which TensorFlow names
// __inference_... and the like, waits for the ops inside it.
bool IsEagerOp(std::string_view name) {
  constexpr std::string_view kCall = "EagerLocalExecute: ";
  return name.starts_with(kCall) && !name.substr(kCall.size()).starts_with("__");
}

}  // namespace

std::vector<uint8_t> HostOpMetas(const Trace& trace) {
  const NameTable& names = trace.names();
  const bool pytorch = CapabilitiesOf(trace).pytorch_events;
  std::vector<uint8_t> ops(names.metas.size());
  for (size_t m = 0; m < ops.size(); ++m) {
    const EventMeta& meta = names.metas[m];
    const std::string_view name = names.strings.View(meta.name);
    if (pytorch) {
      ops[m] = meta.category == EventCategory::kCpuOp && !IsHostCollective(name);
      continue;
    }
    const OpCategory category = ParseOpName(name).category;
    const HostRole role = RoleOfHostEvent(name, meta.category);
    const bool waits = role == HostRole::kWait || role == HostRole::kSave;
    const bool op = category == OpCategory::kTensorFlow || category == OpCategory::kJax;
    ops[m] =
        !waits && ((op && !IsWrapper(name)) || IsEagerOp(name) || name == "ThunkExecutor::Execute");
  }
  return ops;
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
      ops_(HostOpMetas(trace)),
      collectives_(HostCollectiveMetas(trace.names())),
      activity_(trace, stats, grouping, ops_),
      explainer_(trace, grouping, activity_, MarkedSteps(trace, steps), true) {}

// When ops run. PyTorch's count on the threads of the program, but not inside a loader there: that
// is input. XLA's count by their own names, all others if they belong to a step.
Ranges HostDivider::Compute(HostId host, const Ranges& windows) const {
  Ranges compute;
  const bool pytorch = CapabilitiesOf(trace_).pytorch_events;
  const bool ungrouped = grouping_.groups.empty();
  const auto& hlo = stats_.Text(StringStat::kHloOp);
  for (const Track* thread : HostThreadsOf(trace_, host)) {
    CheckStop();
    if (pytorch) {
      for (const HostPiece& piece : activity_.During(*thread, windows)) {
        if (piece.state == HostState::kCompute) compute.push_back({piece.begin, piece.end});
      }
      continue;
    }
    for (const Lane& lane : trace_.set.LanesOf(*thread)) {
      for (uint32_t i = 0; i < lane.size(); ++i) {
        const bool xla = trace_.names().Name(MetaId(lane.meta[i])) == "ThunkExecutor::Execute";
        const bool op = ops_[lane.meta[i]] != 0 &&
                        (xla || ungrouped || grouping_.group[lane.first_row + i] >= 0);
        if (op && lane.dur[i] > 0) compute.push_back({lane.start[i], lane.end(i)});
      }
      hlo.ForRange(lane.first_row, lane.first_row + lane.size(), [&](uint32_t row, StringId) {
        const uint32_t i = row - lane.first_row;
        if (lane.dur[i] > 0) compute.push_back({lane.start[i], lane.end(i)});
      });
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
  for (uint32_t h = 0; h < trace.hosts.size(); ++h) DivideSteps(divider, HostId(h), db);
  db->idle.Finish();
}

}  // namespace stepscope
