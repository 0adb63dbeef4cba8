#include "model/analysis/tpu.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "model/analysis/op_collect.h"
#include "model/analysis/op_name.h"
#include "model/lookup.h"

namespace stepscope {
namespace {

// Calls fn(lane, index) for the slices of the plane's lines of that kind.
template <typename Fn>
void ForLine(const Trace& trace, const Plane& plane, TrackKind kind, Fn fn) {
  for (TrackId t : plane.tracks) {
    const Track& track = trace.set.tracks[t.value];
    if (track.kind != kind) continue;
    for (const Lane& lane : trace.set.LanesOf(track)) {
      for (uint32_t i = 0; i < lane.size(); ++i) fn(lane, i);
    }
  }
}

struct CoreStep {
  std::string label;
  TimeRange span;
  EventRow row;
  Ps times[4] = {};  // self time by TpuClass
  Ps busy() const { return times[0] + times[1] + times[2] + times[3]; }
};

std::vector<CoreStep> StepsOfCore(const Trace& trace, const StatTable& stats, const Plane& core) {
  std::vector<CoreStep> steps;
  for (TrackKind kind : {TrackKind::kSteps, TrackKind::kXlaModules}) {
    if (!steps.empty()) break;
    ForLine(trace, core, kind, [&](const Lane& lane, uint32_t i) {
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
  ForLine(trace, core, TrackKind::kXlaOps, [&](const Lane& lane, uint32_t i) {
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

// The k-th step of each core that has one.
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
  std::vector<std::pair<uint32_t, std::vector<CoreStep>>> cores;  // by plane
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

void AddTpuOps(const Trace& trace, const StatTable& stats, HostId host, const Scope& scope,
               OpSide* side) {
  const TimeScope& time = scope.OfHost(host);
  std::map<std::pair<std::string, std::string>, OpSum> ops;  // by name and type
  const auto& symbols = stats.Int(IntStat::kSymbolId);
  for (const Plane& plane : trace.planes) {
    if (plane.kind != PlaneKind::kTpu || plane.host != host) continue;
    Ps busy = 0;
    Extent extent;
    const auto span = [&](const Lane& lane, uint32_t i) {
      if (time.Contains(lane.start[i])) extent.Add(lane.start[i], lane.end(i));
    };
    ForLine(trace, plane, TrackKind::kSteps, span);
    ForLine(trace, plane, TrackKind::kXlaOps, [&](const Lane& lane, uint32_t i) {
      span(lane, i);
      if (!time.Contains(lane.start[i])) return;
      EventRow row(lane.first_row + i);
      if (symbols.Find(row).value_or(0) == 0 || !stats.Int(IntStat::kProgramId).Find(row)) return;
      StringId tf_op = stats.Text(StringStat::kTfOp).Find(row).value_or(StringId(0));
      OpName parsed = ParseOpName(stats.strings->View(tf_op));
      std::string name(tf_op.value ? parsed.name : trace.names().DisplayName(MetaId(lane.meta[i])));
      std::string type(tf_op.value ? parsed.type : std::string_view("Unknown"));
      Ps self = SelfTime(trace.set, row);
      ops[{std::move(name), std::move(type)}].Add(lane.dur[i], self, false, row);
      busy += self;
    });
    side->busy += busy;
    side->total += std::max(busy, extent.length());
  }
  for (auto& [key, sum] : ops) {
    OpRow& op = side->ops.emplace_back();
    std::tie(op.name, op.type) = key;
    AddSum(std::move(sum), &op);
  }
}

}  // namespace stepscope
