// Steps by our definitions: from marks, else from implicit roots, else inferred
// (docs/rules.md#steps).
#include <algorithm>
#include <array>
#include <numeric>

#include "model/analysis/definitions.h"
#include "model/analysis/recording/recording.h"
#include "model/analysis/steps/builders/infer_steps.h"
#include "model/analysis/steps/host_losses.h"
#include "model/analysis/steps/steps.h"

namespace stepscope {
namespace {

// Steps from groups: those with a marker, or with `implicit` the implicit roots that are large
// enough to be steps.
StepPlan PlanFromGroups(const Trace& trace, const Grouping& grouping, bool implicit, bool tile) {
  StepPlan plan;
  plan.tile = tile;
  plan.step_of_group.assign(grouping.groups.size(), -1);
  for (size_t g = 0; g < grouping.groups.size(); ++g) {
    const EventGroup& group = grouping.groups[g];
    if (group.implicit != implicit) continue;
    Step step;
    step.group = static_cast<int32_t>(g);
    step.host = group.host;
    step.label = group.name;
    step.inferred = implicit && !grouping.from_file;
    if (group.root.valid()) {
      Ps begin = trace.set.Start(group.root);
      step.span = {begin, begin + trace.set.Duration(group.root)};
      step.rows.push_back(group.root);
    }
    plan.step_of_group[g] = static_cast<int32_t>(plan.steps.size());
    plan.steps.push_back(std::move(step));
  }
  return plan;
}

// Sets the nine columns from the classes that the verdict is made of, so that both say the same.
// A step that was not divided keeps its columns.
template <typename Times>
void SetColumns(const Times& classes, bool cpu, StepBreakdown* t) {
  const auto of = [&](StepTimeClass c) {
    return static_cast<double>(classes[static_cast<size_t>(c)]);
  };
  if (std::accumulate(classes.begin(), classes.end(), 0.0) <= 0) return;
  (cpu ? t->host_compute : t->compute) = of(StepTimeClass::kCompute);
  t->device_to_device = of(StepTimeClass::kDeviceToDevice);
  t->collectives = of(StepTimeClass::kCollective) + of(StepTimeClass::kCollectiveWait);
  t->host_to_device = of(StepTimeClass::kHostToDevice);
  t->input = of(StepTimeClass::kInput) + t->host_to_device;
  t->output = of(StepTimeClass::kDeviceToHost);
  t->launch = of(StepTimeClass::kLaunch);
  t->compile = of(StepTimeClass::kCompile);
  t->other = of(StepTimeClass::kSync) + of(StepTimeClass::kQueued) + of(StepTimeClass::kHost) +
             of(StepTimeClass::kBetweenSteps) + of(StepTimeClass::kUnknown);
}

void SetColumnsOf(StepDatabase* db) {
  const bool cpu = db->kind == DeviceKind::kCpuOnly;
  for (Step& step : db->steps) SetColumns(step.class_times, cpu, &step.times);
  for (DeviceStep& d : db->device_steps) {
    SetColumns(d.class_times, cpu, &d.times);
    d.input_wait = At(d.class_times, StepTimeClass::kInput);
    // The host waits at least while the device does.
    d.host_input_wait = std::max(d.host_input_wait, d.input_wait);
  }
}

// The line "Steps" of the first GPU that has one; null: none has.
const Lane* StepsLine(const Trace& trace) {
  for (const Lane& lane : trace.set.lanes) {
    const Track& track = trace.set.tracks[lane.track.value];
    const bool on_gpu = track.plane.value < trace.planes.size() &&
                        trace.planes[track.plane.value].kind == PlaneKind::kGpu;
    const bool outermost = lane.kind == LaneKind::kNested && lane.depth == 0;
    if (on_gpu && outermost && track.kind == TrackKind::kSteps) return &lane;
  }
  return nullptr;
}

// XProf writes the line "Steps" into a trace.json, which has no ids that lead from the marker of a
// step to its work. Work after the end of a step, before the next one, belongs to the step.
StepPlan PlanFromStepsLine(const Trace& trace, bool tile) {
  StepPlan plan;
  plan.tile = tile;
  const Lane* const lane = StepsLine(trace);
  if (lane == nullptr) return plan;
  for (uint32_t i = 0; i < lane->size(); ++i) {
    if (lane->dur[i] <= 0) continue;
    Step step;
    step.host = trace.planes[trace.set.tracks[lane->track.value].plane.value].host;
    step.label = std::string(trace.names().Name(MetaId(lane->meta[i])));
    step.span = {lane->start[i], lane->end(i)};
    step.rows.push_back(EventRow(lane->first_row + i));
    plan.boundaries.push_back(lane->start[i]);
    plan.step_of_boundary.push_back(static_cast<int32_t>(plan.steps.size()));
    plan.steps.push_back(std::move(step));
  }
  if (!plan.steps.empty()) plan.boundaries.push_back(kMaxPs);
  return plan;
}

void DivideGpus(AnalysisContext& context, bool tile, StepDatabase* db) {
  const Trace& trace = context.trace();
  const Grouping& grouping = context.Get<Grouping>();
  enum class Source { kMarks, kStepsLine, kImplicitRoots };
  for (const Source source : {Source::kMarks, Source::kStepsLine, Source::kImplicitRoots}) {
    const bool implicit = source == Source::kImplicitRoots, line = source == Source::kStepsLine;
    StepPlan plan =
        line ? PlanFromStepsLine(trace, tile) : PlanFromGroups(trace, grouping, implicit, tile);
    if (plan.steps.empty()) continue;
    DivideDevices(context, std::move(plan), db);
    if (db->steps.empty()) continue;
    db->inferred = implicit && !grouping.from_file;
    db->confidence = db->inferred ? 0.8 : 1;
    db->how = line           ? "From the line \"Steps\" of the device."
              : db->inferred ? "No marks: each run of a function is taken as a step."
                             : "From the marks in the profile.";
    return;
  }
  StepPlan calls = InferByCalls(trace, grouping);
  if (tile && !calls.steps.empty()) {
    const std::string name(trace.set.Name(calls.steps.front().rows.front()));
    const bool one = calls.steps.size() == 1;
    DivideDevices(context, std::move(calls), db);
    db->inferred = !db->steps.empty();
    db->confidence = 0.9;
    db->how = one ? "No marks: one call of " + name + " encloses the launches."
                  : "No marks: each call of " + name + " is taken as a step.";
    if (db->inferred) return;
  }
  StepPlan plan = InferByPeriod(trace, grouping, &db->confidence);
  plan.tile = tile;
  if (plan.steps.empty()) return;
  DivideDevices(context, std::move(plan), db);
  db->inferred = !db->steps.empty();
  db->how = "No marks: steps are the period of the kernel sequence on the busiest stream.";
}

}  // namespace

StepDatabase WholeSpan(AnalysisContext& context) {
  const Trace& trace = context.trace();
  StepDatabase db;
  db.kind = KindOf(trace);
  if (db.kind == DeviceKind::kCpuOnly) {
    const std::vector<TimeRange>& windows = context.Get<Recording>().windows;
    for (uint32_t h = 0; h < trace.hosts.size() && !trace.span.empty(); ++h) {
      if (windows[h].empty()) continue;
      Step all;
      all.host = HostId(h);
      all.inferred = true;
      all.span = windows[h];
      all.times.total = static_cast<double>(all.span.length());
      db.steps.push_back(std::move(all));
    }
    AddHostLosses(trace, context.stats(), context.Get<Grouping>(), &db);
    SetColumnsOf(&db);
    return db;
  }
  StepPlan plan;
  Step all;
  all.host = trace.hosts.empty() ? HostId() : HostId(0);
  all.inferred = true;
  if (CapabilitiesOf(trace).one_run) all.span = trace.span;
  plan.steps.push_back(std::move(all));
  plan.boundaries = {kMinPs, kMaxPs};
  plan.step_of_boundary = {0};
  DivideDevices(context, std::move(plan), &db);
  SetColumnsOf(&db);
  return db;
}

StepDatabase OwnSteps(AnalysisContext& context) {
  const Trace& trace = context.trace();
  const StatTable& stats = context.stats();
  const Grouping& grouping = context.Get<Grouping>();
  const XprofDefinitions& xprof = context.xprof();
  const bool tile = !xprof.steps_begin_at_markers;
  StepDatabase db;
  db.kind = KindOf(trace);
  if (db.kind == DeviceKind::kGpu) {
    DivideGpus(context, tile, &db);
    db.kind = DeviceKind::kGpu;
    if (tile) SetColumnsOf(&db);
    if (!db.steps.empty()) return db;
  }
  StepDatabase host = HostSteps(trace, stats, grouping, xprof);
  host.kind = db.kind;
  if (host.kind == DeviceKind::kCpuOnly && tile) {
    AddHostLosses(trace, stats, grouping, &host);
    MarkFirst(&host.steps);
    SetColumnsOf(&host);
  }
  if (host.steps.empty())
    host.how = "Nothing marks steps, no function is run again, and no sequence of kernels repeats.";
  return host;
}

}  // namespace stepscope
