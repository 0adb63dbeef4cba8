#include "model/analysis/grouping/grouping_tpu.h"

#include <algorithm>

#include "model/lookup.h"

namespace stepscope {
namespace {

struct CoreStep {
  TimeRange span;
  uint32_t row = 0;
  int32_t group = Grouping::kNone;
};

struct Core {
  const Plane* plane = nullptr;
  const Track* line = nullptr;  // the Steps line, else XLA Modules
  std::vector<CoreStep> steps;  // by start
};

const Track* GroupingLine(const Trace& trace, const Plane& plane) {
  for (TrackKind kind : {TrackKind::kSteps, TrackKind::kXlaModules}) {
    for (TrackId t : plane.tracks) {
      const Track& track = trace.set.tracks[t.value];
      if (track.kind == kind && track.events > 0) return &track;
    }
  }
  return nullptr;
}

std::vector<CoreStep> StepsOf(const Trace& trace, const Track& line, const Grouping& grouping) {
  std::vector<CoreStep> steps;
  for (const Lane& lane : trace.set.LanesOf(line)) {
    for (uint32_t i = 0; i < lane.size(); ++i) {
      const uint32_t row = lane.first_row + i;
      steps.push_back({{lane.start[i], lane.end(i)}, row, grouping.group[row]});
    }
  }
  std::stable_sort(steps.begin(), steps.end(), [](const CoreStep& a, const CoreStep& b) {
    return a.span.begin < b.span.begin;
  });
  return steps;
}

// The first step that ends after the time; steps do not overlap. Null if there is none.
CoreStep* StepAt(std::vector<CoreStep>* steps, Ps time) {
  const auto it = std::upper_bound(steps->begin(), steps->end(), time,
                                   [](Ps t, const CoreStep& s) { return t < s.span.end; });
  return it == steps->end() ? nullptr : &*it;
}

// Calls fn(lane, index) for each event of the core on its other lines.
template <typename Fn>
void ForOthers(const Trace& trace, const Core& core, Fn fn) {
  for (TrackId t : core.plane->tracks) {
    const Track& track = trace.set.tracks[t.value];
    if (&track == core.line) continue;
    for (const Lane& lane : trace.set.LanesOf(track)) {
      for (uint32_t i = 0; i < lane.size(); ++i) fn(lane, i);
    }
  }
}

// A step that the host is not known to have launched joins the group of the
// first event inside it that has one.
void TakeFromInside(const Trace& trace, const Grouping& grouping, Core* core) {
  ForOthers(trace, *core, [&](const Lane& lane, uint32_t i) {
    const int32_t group = grouping.group[lane.first_row + i];
    if (group < 0) return;
    CoreStep* step = StepAt(&core->steps, lane.start[i]);
    const bool inside =
        step != nullptr && step->span.begin <= lane.start[i] && lane.end(i) <= step->span.end;
    if (inside && step->group < 0) step->group = group;
  });
}

std::string NameOf(const StatTable& stats, uint32_t row, int64_t id) {
  auto number = stats.Int(IntStat::kIterNum).Find(EventRow(row));
  if (!number) number = stats.Int(IntStat::kStepNum).Find(EventRow(row));
  return std::to_string(number.value_or(id));
}

// Makes the k-th steps of all cores one group.
void NumberSteps(const StatTable& stats, HostId host, std::vector<Core>* cores, Grouping* out) {
  const auto first = static_cast<int32_t>(out->groups.size());
  const auto known = std::count_if(out->groups.begin(), out->groups.end(),
                                   [&](const EventGroup& g) { return g.host == host; });
  for (Core& core : *cores) {
    for (size_t k = 0; k < core.steps.size(); ++k) {
      CoreStep& step = core.steps[k];
      step.group = first + static_cast<int32_t>(k);
      if (static_cast<size_t>(step.group) < out->groups.size()) continue;
      EventGroup group;
      group.host = host;
      group.id = known + static_cast<int64_t>(k);
      group.name = NameOf(stats, step.row, group.id);
      group.root = EventRow(step.row);
      group.implicit = true;
      out->groups.push_back(std::move(group));
    }
  }
}

// Writes the groups of the steps and of the events that overlap them.
void Spread(const Trace& trace, Core* core, Grouping* out) {
  std::erase_if(core->steps, [](const CoreStep& s) { return s.group < 0; });
  for (const CoreStep& step : core->steps) out->group[step.row] = step.group;
  ForOthers(trace, *core, [&](const Lane& lane, uint32_t i) {
    int32_t& group = out->group[lane.first_row + i];
    const CoreStep* step = StepAt(&core->steps, lane.start[i]);
    const Ps end = std::max(lane.end(i), lane.start[i] + 1);  // an instant lies in a step
    if (step != nullptr && step->span.begin < end) group = step->group;
  });
}

}  // namespace

void GroupTpuCores(const Trace& trace, const StatTable& stats, Grouping* out) {
  for (uint32_t h = 0; h < trace.hosts.size(); ++h) {
    std::vector<Core> cores;
    bool grouped = false;
    for (const Plane& plane : trace.planes) {
      if (plane.kind != PlaneKind::kTpu || plane.host != HostId(h)) continue;
      const Track* line = GroupingLine(trace, plane);
      if (line == nullptr) continue;
      cores.push_back({&plane, line, StepsOf(trace, *line, *out)});
      TakeFromInside(trace, *out, &cores.back());
      for (const CoreStep& step : cores.back().steps) grouped = grouped || step.group >= 0;
    }
    if (!grouped) NumberSteps(stats, HostId(h), &cores, out);
    for (Core& core : cores) Spread(trace, &core, out);
  }
}

}  // namespace stepscope
