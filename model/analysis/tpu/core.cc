#include "model/analysis/tpu/core.h"

#include <algorithm>
#include <map>
#include <span>
#include <string_view>
#include <utility>

#include "model/jobs/job.h"

namespace stepscope {
namespace {

constexpr std::string_view kBarrier = "barrier-cores";

CoreClock ClockOf(std::span<const CoreOp> ops) {
  std::vector<CoreClock::Reading> readings;
  readings.reserve(ops.size());
  for (const CoreOp& op : ops) readings.push_back({op.begin, op.session});
  return CoreClock(readings);
}

// The lengths of the core's barriers by their begin on the session's clock, the only one they have.
std::vector<std::pair<Ps, Ps>> BarriersOf(const Trace& trace, const Plane& plane) {
  std::vector<std::pair<Ps, Ps>> barriers;
  for (const TrackId t : plane.tracks) {
    const Track& track = trace.set.tracks[t.value];
    if (track.kind == TrackKind::kXlaOps) continue;
    for (const Lane& lane : trace.set.LanesOf(track)) {
      for (uint32_t i = 0; i < lane.size(); ++i) {
        if (trace.names().DisplayName(MetaId(lane.meta[i])) == kBarrier)
          barriers.emplace_back(lane.start[i], lane.dur[i]);
      }
    }
  }
  std::sort(barriers.begin(), barriers.end());
  return barriers;
}

// A barrier belongs to the op that begins behind it, by the session's clock, which keeps the order.
std::vector<Ps> BarriersBefore(std::span<const CoreOp> ops,
                               std::span<const std::pair<Ps, Ps>> barriers) {
  std::vector<Ps> before(ops.size());
  Ps busy_until = kMinPs;
  auto next = barriers.begin();
  for (size_t i = 0; i < ops.size(); ++i) {
    const Ps gap = busy_until == kMinPs ? kMaxPs : SaturatingSub(ops[i].begin, busy_until);
    Ps wait = 0;
    for (; next != barriers.end() && next->first <= ops[i].session; ++next)
      wait = SaturatingAdd(wait, next->second);
    before[i] = std::clamp<Ps>(wait, 0, std::max<Ps>(0, gap));
    busy_until = std::max(busy_until, ops[i].end());
  }
  return before;
}

}  // namespace

std::vector<TpuCore> CoresOf(const Trace& trace, const StatTable& stats, HostId host) {
  std::vector<TpuCore> cores;
  for (uint32_t p = 0; p < trace.planes.size(); ++p) {
    CheckStop();
    const Plane& plane = trace.planes[p];
    if (plane.kind != PlaneKind::kTpu || plane.host != host) continue;
    TpuCore core;
    core.plane = &plane;
    core.id = PlaneId(p);
    core.ops = OpsOfCore(trace, stats, plane);
    if (core.ops.empty() && CoreLine(trace, plane, TrackKind::kSteps) == nullptr) continue;
    core.clock = ClockOf(core.ops);
    core.barrier = BarriersBefore(core.ops, BarriersOf(trace, plane));
    cores.push_back(std::move(core));
  }
  return cores;
}

CoreWork WorkOf(const Trace& trace, const StatTable& stats, const CoreOp& op) {
  const auto category = stats.Text(StringStat::kHloCategory).Find(op.row);
  return WorkOf(stats.strings->View(category.value_or(StringId(0))),
                trace.names().Name(MetaId(op.meta)));
}

namespace {

// The steps of the core's Steps line. A marker may have the core's times or only the session's.
std::vector<CoreStep> StepsOfLine(const Trace& trace, const StatTable& stats, const TpuCore& core) {
  std::vector<CoreStep> steps;
  const Track* line = CoreLine(trace, *core.plane, TrackKind::kSteps);
  if (line == nullptr) return steps;
  for (const CoreEvent& e : CoreEventsOf(trace, stats, *line, {})) {
    if (e.duration <= 0 || e.self != e.duration) continue;
    CoreStep step;
    step.label = trace.names().DisplayName(MetaId(e.meta));
    step.row = e.row;
    step.begin = e.begin, step.end = e.end();
    const Ps begin = e.begin == e.session ? e.session : core.clock.ToSession(e.begin);
    step.span = {begin, SaturatingAdd(begin, e.duration)};
    steps.push_back(std::move(step));
  }
  std::stable_sort(steps.begin(), steps.end(), [](const CoreStep& a, const CoreStep& b) {
    return a.span.begin < b.span.begin;
  });
  const auto at = [&](const CoreOp& op) { return core.clock.ToSession(op.begin); };
  for (CoreStep& step : steps) {
    const auto before = [&](const CoreOp& op, Ps time) { return at(op) < time; };
    const auto bound = [&](Ps time) {
      return static_cast<size_t>(std::lower_bound(core.ops.begin(), core.ops.end(), time, before) -
                                 core.ops.begin());
    };
    step.first = bound(step.span.begin);
    step.last = bound(step.span.end);
  }
  return steps;
}

// The group that most of a run's ops have, if the host has marked it; else -1. Single ops may lie
// in a module that is not theirs, because the session's clock bends.
int32_t MarkedGroup(const Grouping& grouping, const TpuCore& core, const ProgramRun& run) {
  std::map<int32_t, size_t> counts;
  for (size_t i = run.first; i < run.first + run.count; ++i) {
    const EventGroup* group = grouping.GroupOf(core.ops[i].row);
    if (group != nullptr && !group->implicit && group->root.valid())
      ++counts[grouping.group[core.ops[i].row.value]];
  }
  for (const auto& [group, count] : counts) {
    if (2 * count > run.count) return group;
  }
  return -1;
}

// Steps that tile the core's time: each goes on from the end of the one before.
class Tiling {
 public:
  explicit Tiling(const TpuCore& core) : core_(core) {}

  // Adds a run; it joins the last step if both have the same group.
  void Add(const ProgramRun& run, int32_t group, std::string label) {
    const size_t last = run.first + run.count;
    const bool joins = group >= 0 && !steps_.empty() && steps_.back().group == group;
    if (!joins) {
      CoreStep step;
      step.label = std::move(label);
      step.group = group;
      step.row = core_.ops[run.first].row;
      step.first = steps_.empty() ? run.first : steps_.back().last;
      step.begin = steps_.empty() ? core_.ops[run.first].begin : steps_.back().end;
      steps_.push_back(std::move(step));
    }
    CoreStep& step = steps_.back();
    step.last = last;
    for (size_t i = step.first; i < last; ++i) step.end = std::max(step.end, core_.ops[i].end());
  }
  std::vector<CoreStep> Take() {
    for (CoreStep& step : steps_) step.span = core_.Session(step.begin, step.end);
    return std::move(steps_);
  }

 private:
  const TpuCore& core_;
  std::vector<CoreStep> steps_;
};

using Runs = std::vector<std::vector<ProgramRun>>;  // by core

// The program whose ops take most time on all cores.
int64_t MainProgram(const std::vector<TpuCore>& cores) {
  std::map<int64_t, double> times;
  for (const TpuCore& core : cores) {
    for (const CoreOp& op : core.ops) times[op.program] += static_cast<double>(op.self);
  }
  const auto most = std::max_element(
      times.begin(), times.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most != times.end() ? most->first : 0;
}

CoreSteps FromMarks(const Grouping& grouping, const std::vector<TpuCore>& cores, const Runs& runs,
                    int64_t main) {
  CoreSteps found;
  size_t marked = 0, all = 0;
  for (size_t c = 0; c < cores.size(); ++c) {
    Tiling tiling(cores[c]);
    for (const ProgramRun& run : runs[c]) {
      const int32_t group = MarkedGroup(grouping, cores[c], run);
      if (run.program == main) ++all, marked += group >= 0;
      if (group >= 0) tiling.Add(run, group, grouping.groups[static_cast<size_t>(group)].name);
    }
    found.steps.push_back(tiling.Take());
  }
  if (2 * marked <= all) found.steps.assign(cores.size(), {});  // marks of other things
  found.how = "From the marks of the host, by the runs of programs that they launched.";
  return found;
}

// "jit_f" of "jit_f(12190760917235803885)", the name of its first module.
std::string NameOf(const Trace& trace, const TpuCore& core, const ProgramRun& run) {
  const Track* line = CoreLine(trace, *core.plane, TrackKind::kXlaModules);
  if (line == nullptr) return "the program";
  const std::string id = "(" + std::to_string(static_cast<uint64_t>(run.program)) + ")";
  for (const Lane& lane : trace.set.LanesOf(*line)) {
    for (uint32_t i = 0; i < lane.size(); ++i) {
      const std::string_view name = trace.names().DisplayName(MetaId(lane.meta[i]));
      if (name.ends_with(id)) return std::string(name.substr(0, name.size() - id.size()));
    }
  }
  return "the program";
}

CoreSteps FromRuns(const Trace& trace, const std::vector<TpuCore>& cores, const Runs& runs,
                   int64_t main) {
  CoreSteps found;
  found.inferred = true;
  std::string name;
  for (size_t c = 0; c < cores.size(); ++c) {
    Tiling tiling(cores[c]);
    size_t k = 0;
    for (const ProgramRun& run : runs[c]) {
      if (run.program != main) continue;
      if (name.empty()) name = NameOf(trace, cores[c], run);
      tiling.Add(run, -1, std::to_string(k++));
    }
    found.steps.push_back(tiling.Take());
  }
  found.how = "No marks: each run of " + name + ", the program with most time, is a step.";
  return found;
}

}  // namespace

bool CoreSteps::any() const {
  return std::any_of(steps.begin(), steps.end(), [](const auto& s) { return !s.empty(); });
}

CoreSteps StepsOfLines(const Trace& trace, const StatTable& stats,
                       const std::vector<TpuCore>& cores) {
  CoreSteps found;
  for (const TpuCore& core : cores) found.steps.push_back(StepsOfLine(trace, stats, core));
  found.how = "From the Steps line of each TPU core.";
  return found;
}

CoreSteps FindCoreSteps(const Trace& trace, const StatTable& stats, const Grouping& grouping,
                        const std::vector<TpuCore>& cores) {
  CoreSteps found = StepsOfLines(trace, stats, cores);
  if (found.any()) return found;
  std::vector<const Plane*> planes;
  std::vector<std::vector<CoreOp>> ops;
  for (const TpuCore& core : cores) planes.push_back(core.plane), ops.push_back(core.ops);
  const std::map<int64_t, std::string_view> starts = RunStarts(trace, planes, ops);
  Runs runs;
  for (const TpuCore& core : cores) runs.push_back(RunsOf(core.ops, starts));
  const int64_t main = MainProgram(cores);
  found = FromMarks(grouping, cores, runs, main);
  return found.any() ? found : FromRuns(trace, cores, runs, main);
}

}  // namespace stepscope
