#include "model/analysis/steps/tpu_steps.h"

#include <algorithm>

#include "model/lookup.h"

namespace stepscope {
namespace {

struct CoreStep {
  std::string label;
  TimeRange span;
  EventRow row;
  Ps times[4] = {};  // self times by TpuClass
  Ps busy() const { return times[0] + times[1] + times[2] + times[3]; }
};

std::vector<CoreStep> StepsOfCore(const Trace& trace, const StatTable& stats, const Plane& core) {
  std::vector<CoreStep> steps;
  for (TrackKind kind : {TrackKind::kSteps, TrackKind::kXlaModules}) {
    if (!steps.empty()) break;
    ForTpuLine(trace, core, kind, [&](const Lane& lane, uint32_t i) {
      if (lane.dur[i] <= 0 || lane.depth > 0) return;
      std::string name(trace.names().DisplayName(MetaId(lane.meta[i])));
      if (kind == TrackKind::kXlaModules) name = std::to_string(steps.size());
      CoreStep step;
      step.label = std::move(name);
      step.span = {lane.start[i], lane.end(i)};
      step.row = EventRow(lane.first_row + i);
      steps.push_back(std::move(step));
    });
  }
  std::sort(steps.begin(), steps.end(),
            [](const CoreStep& a, const CoreStep& b) { return a.span.begin < b.span.begin; });
  const auto& categories = stats.Text(StringStat::kHloCategory);
  ForTpuLine(trace, core, TrackKind::kXlaOps, [&](const Lane& lane, uint32_t i) {
    auto after = std::upper_bound(steps.begin(), steps.end(), lane.start[i],
                                  [](Ps t, const CoreStep& s) { return t < s.span.begin; });
    if (after == steps.begin() || !(after - 1)->span.Contains(lane.start[i])) return;
    EventRow row(lane.first_row + i);
    TpuClass c = TpuClassOf(stats.strings->View(categories.Find(row).value_or(StringId(0))));
    (after - 1)->times[static_cast<size_t>(c)] += SelfTime(trace.set, row);
  });
  return steps;
}

double Of(const CoreStep& step, TpuClass c) {
  return static_cast<double>(step.times[static_cast<size_t>(c)]);
}

StepBreakdown TimesOf(const CoreStep& core) {
  StepBreakdown t;
  t.total = static_cast<double>(core.span.length());
  t.compute = Of(core, TpuClass::kCompute);
  t.input = Of(core, TpuClass::kInfeed);
  t.output = Of(core, TpuClass::kOutfeed);
  t.collectives = Of(core, TpuClass::kCollective);
  t.other = std::max(0.0, t.total - static_cast<double>(core.busy()));
  return t;
}

// One step of a host from the times of its cores.
StepBreakdown Combine(const std::vector<StepBreakdown>& cores) {
  StepBreakdown all;
  const double n = static_cast<double>(cores.size());
  for (const StepBreakdown& t : cores) {
    all.total = std::max(all.total, t.total);
    all.input = std::max(all.input, t.input);
    all.compute += t.compute / n;
    all.output += t.output / n;
    all.collectives += t.collectives / n;
  }
  all.other = std::max(0.0, all.total - all.input - all.compute - all.output - all.collectives);
  return all;
}

void AddHost(const Trace& trace, const StatTable& stats, HostId host, StepDatabase* db) {
  std::vector<std::pair<uint32_t, std::vector<CoreStep>>> cores;  // by PlaneId
  size_t most = 0;
  for (uint32_t p = 0; p < trace.planes.size(); ++p) {
    const Plane& plane = trace.planes[p];
    if (plane.kind != PlaneKind::kTpu || plane.host != host) continue;
    cores.emplace_back(p, StepsOfCore(trace, stats, plane));
    most = std::max(most, cores.back().second.size());
  }
  for (size_t k = 0; k < most; ++k) {
    Step step;
    step.host = host;
    std::vector<StepBreakdown> times;
    for (const auto& [plane, steps] : cores) {
      if (k >= steps.size()) continue;
      const CoreStep& core = steps[k];
      DeviceStep d;
      d.step = static_cast<uint32_t>(db->steps.size());
      d.device = PlaneId(plane);
      d.span = core.span;
      d.times = TimesOf(core);
      d.input_wait = core.times[static_cast<size_t>(TpuClass::kInfeed)];
      d.idle = std::max<Ps>(0, core.span.length() - core.busy());
      db->device_steps.push_back(d);
      times.push_back(d.times);
      if (step.rows.empty()) step.label = core.label, step.span = core.span;
      step.span = {std::min(step.span.begin, core.span.begin),
                   std::max(step.span.end, core.span.end)};
      step.rows.push_back(core.row);
    }
    step.times = Combine(times);
    db->steps.push_back(std::move(step));
  }
}

}  // namespace

TpuClass TpuClassOf(std::string_view category) {
  if (category.starts_with("infeed")) return TpuClass::kInfeed;
  if (category.starts_with("outfeed")) return TpuClass::kOutfeed;
  for (std::string_view part :
       {"all-reduce", "all-gather", "all-to-all", "reduce-scatter", "collective-permute"}) {
    if (category.find(part) != std::string_view::npos) return TpuClass::kCollective;
  }
  return TpuClass::kCompute;
}

StepDatabase TpuSteps(const Trace& trace, const StatTable& stats, const std::stop_token& stop) {
  StepDatabase db;
  db.kind = DeviceKind::kTpu;
  for (uint32_t h = 0; h < trace.hosts.size() && !stop.stop_requested(); ++h) {
    AddHost(trace, stats, HostId(h), &db);
  }
  db.how = std::string("From the Steps line of each TPU core. ") + kTpuCaveat;
  return db;
}

}  // namespace stepscope
