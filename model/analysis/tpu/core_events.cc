#include "model/analysis/tpu/core_events.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace stepscope {

namespace {

CoreEvent EventOf(const StatTable& stats, const Lane& lane, uint32_t i) {
  const EventRow row(lane.first_row + i);
  const auto offset = stats.Int(IntStat::kDeviceOffset).Find(row);
  const auto duration = stats.Int(IntStat::kDeviceDuration).Find(row);
  const auto is_time = [](const auto& t) { return t && *t >= 0 && *t < kMaxPs; };
  const bool own = is_time(offset) && is_time(duration);
  return {row, lane.meta[i], own ? *offset : lane.start[i], own ? *duration : lane.dur[i],
          0,   lane.start[i]};
}

// By a stack in the order of the file, which is that of the core's clock.
void FindSelfTimes(std::vector<CoreEvent>* events) {
  std::vector<CoreEvent*> open;
  for (CoreEvent& e : *events) {
    e.self = e.duration;
    while (!open.empty() && !(open.back()->begin <= e.begin && e.end() <= open.back()->end()))
      open.pop_back();
    if (!open.empty()) open.back()->self = SaturatingSub(open.back()->self, e.duration);
    open.push_back(&e);
  }
  for (CoreEvent& e : *events) e.self = std::max<Ps>(0, e.self);
}

}  // namespace

std::vector<CoreEvent> CoreEventsOf(const Trace& trace, const StatTable& stats, const Track& track,
                                    const TimeScope& scope) {
  std::vector<std::pair<uint64_t, CoreEvent>> placed;  // by place in the file
  for (const Lane& lane : trace.set.LanesOf(track)) {
    for (uint32_t i = 0; i < lane.size(); ++i) {
      if (scope.Contains(lane.start[i]))
        placed.emplace_back(lane.SourceOffset(i), EventOf(stats, lane, i));
    }
  }
  std::stable_sort(placed.begin(), placed.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<CoreEvent> events;
  events.reserve(placed.size());
  for (const auto& [place, event] : placed) events.push_back(event);
  FindSelfTimes(&events);
  return events;
}

const Track* CoreLine(const Trace& trace, const Plane& core, TrackKind kind) {
  const Track* most = nullptr;
  for (const TrackId t : core.tracks) {
    const Track& track = trace.set.tracks[t.value];
    const bool more = most == nullptr ? track.events > 0 : track.events > most->events;
    if (track.kind == kind && more) most = &track;
  }
  return most;
}

namespace {

// The facts of a program while its starts are looked for.
struct Program {
  uint64_t modules = 0;
  std::unordered_map<std::string_view, uint64_t> runs;   // by name of the op
  std::unordered_map<std::string_view, uint64_t> votes;  // modules that begin with it
  std::vector<std::string_view> order;                   // of the first op of each name
};
using Programs = std::map<int64_t, Program>;

void CountOps(std::span<const CoreOp> ops, Programs* programs) {
  for (const CoreOp& op : ops) {
    Program& program = (*programs)[op.program];
    if (++program.runs[op.name] == 1) program.order.push_back(op.name);
  }
}

// A module begins, by the session's clock, with the first op that begins behind it.
void CountModules(const Trace& trace, const Plane& core, std::span<const CoreOp> ops,
                  Programs* programs) {
  const Track* line = CoreLine(trace, core, TrackKind::kXlaModules);
  if (line == nullptr) return;
  std::vector<const CoreOp*> by_session;
  for (const CoreOp& op : ops) by_session.push_back(&op);
  std::stable_sort(by_session.begin(), by_session.end(),
                   [](const CoreOp* a, const CoreOp* b) { return a->session < b->session; });
  for (const Lane& lane : trace.set.LanesOf(*line)) {
    for (uint32_t i = 0; i < lane.size(); ++i) {
      const auto first =
          std::lower_bound(by_session.begin(), by_session.end(), lane.start[i],
                           [](const CoreOp* op, Ps begin) { return op->session < begin; });
      if (first == by_session.end() || (*first)->session > lane.end(i)) continue;  // without ops
      Program& program = (*programs)[(*first)->program];
      ++program.modules;
      ++program.votes[(*first)->name];
    }
  }
}

std::string_view StartOf(const Program& program, uint64_t cores) {
  std::string_view best;
  uint64_t most = 0;
  for (const std::string_view name : program.order) {
    const uint64_t runs = program.runs.at(name);
    const bool once = runs + cores >= program.modules && runs <= program.modules + cores;
    if (program.modules > 0 && !once) continue;  // several times in a run, or not in each
    const auto found = program.votes.find(name);
    const uint64_t votes = found != program.votes.end() ? found->second : 0;
    if (best.empty() || votes > most) best = name, most = votes;
  }
  return best;
}

}  // namespace

std::vector<CoreOp> OpsOfCore(const Trace& trace, const StatTable& stats, const Plane& core) {
  std::vector<CoreOp> ops;
  for (const TrackId t : core.tracks) {
    const Track& track = trace.set.tracks[t.value];
    if (track.kind != TrackKind::kXlaOps) continue;
    for (const CoreEvent& event : CoreEventsOf(trace, stats, track, {})) {
      CoreOp op;
      static_cast<CoreEvent&>(op) = event;
      op.program = stats.Int(IntStat::kProgramId).Find(event.row).value_or(0);
      op.name = trace.names().DisplayName(MetaId(event.meta));
      ops.push_back(op);
    }
  }
  std::stable_sort(ops.begin(), ops.end(),
                   [](const CoreOp& a, const CoreOp& b) { return a.begin < b.begin; });
  return ops;
}

std::map<int64_t, std::string_view> RunStarts(const Trace& trace,
                                              std::span<const Plane* const> cores,
                                              std::span<const std::vector<CoreOp>> ops) {
  Programs programs;
  for (size_t i = 0; i < cores.size(); ++i) {
    CountOps(ops[i], &programs);
    CountModules(trace, *cores[i], ops[i], &programs);
  }
  std::map<int64_t, std::string_view> starts;
  for (const auto& [id, program] : programs) starts[id] = StartOf(program, cores.size());
  return starts;
}

std::vector<ProgramRun> RunsOf(std::span<const CoreOp> ops,
                               const std::map<int64_t, std::string_view>& starts) {
  std::vector<ProgramRun> runs;
  Ps end = kMinPs;  // of the ops so far: an op inside another begins no run
  for (size_t i = 0; i < ops.size(); ++i) {
    const CoreOp& op = ops[i];
    const auto start = starts.find(op.program);
    const bool starting = start != starts.end() && op.name == start->second && op.begin >= end;
    if (runs.empty() || runs.back().program != op.program || starting)
      runs.push_back({op.program, i, 0});
    ++runs.back().count;
    end = std::max(end, op.end());
  }
  return runs;
}

}  // namespace stepscope
