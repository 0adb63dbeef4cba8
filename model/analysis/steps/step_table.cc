#include "model/analysis/steps/step_table.h"

#include <algorithm>

#include "model/analysis/definitions.h"
#include "model/analysis/steps/step_intersection.h"
#include "model/analysis/tables/in_unit.h"

namespace stepscope {
namespace {

struct ClassColumn {
  const char* id;
  const char* label;
  double StepBreakdown::*field;
  const char* how;
};
constexpr ClassColumn kClasses[] = {
    {"deviceComputeTimeMs", "Device compute", &StepBreakdown::compute, "kernels"},
    {"deviceToDeviceTimeMs", "Device to device", &StepBreakdown::device_to_device,
     "copies and fills on devices that no kernel hides"},
    {"deviceCollectivesTimeMs", "Device collectives", &StepBreakdown::collectives,
     "NCCL and RCCL kernels that nothing else hides, their waiting included"},
    {"hostComputeTimeMs", "Host compute", &StepBreakdown::host_compute,
     "host operations of the step (profiles without devices)"},
    {"kernelLaunchTimeMs", "Kernel launch", &StepBreakdown::launch,
     "device idle while the host is launching work of the step for it"},
    {"infeedTimeMs", "Input", &StepBreakdown::input,
     "device idle while the host waits for input, and copies to the device that nothing hides"},
    {"outfeedTimeMs", "Output", &StepBreakdown::output, "copies to the host that nothing hides"},
    {"compileTimeMs", "Compilation", &StepBreakdown::compile, ""},
    {"otherTimeMs", "Other", &StepBreakdown::other, "the rest of the step"},
    {"stepTimeMs", "Step time", &StepBreakdown::total, ""},
};

void AddClassColumns(ResultTable* table, bool bare, bool with_total) {
  for (const ClassColumn& c : kClasses) {
    if (c.field == &StepBreakdown::total && !with_total) continue;
    const bool key = c.field == &StepBreakdown::total || c.field == &StepBreakdown::compute;
    table->AddColumn({c.id, c.label, Unit::kMs, ValueType::kReal, bare ? "" : c.how, key});
  }
}

void KeepScope(const Trace& trace, const Scope& scope, StepDatabase* db) {
  std::vector<int64_t> kept(db->steps.size(), -1);  // new index by old index
  std::vector<Step> steps;
  for (size_t i = 0; i < db->steps.size(); ++i) {
    if (!scope.Has(db->steps[i])) continue;
    kept[i] = static_cast<int64_t>(steps.size());
    steps.push_back(std::move(db->steps[i]));
  }
  std::vector<DeviceStep> device_steps;
  for (DeviceStep& d : db->device_steps) {
    if (kept[d.step] < 0) continue;
    d.step = static_cast<uint32_t>(kept[d.step]);
    device_steps.push_back(d);
  }
  std::vector<IdleCause> causes;
  for (IdleCause& cause : db->causes) {
    if (kept[cause.step] < 0) continue;
    cause.step = static_cast<uint32_t>(kept[cause.step]);
    causes.push_back(cause);
  }
  IdleIntervals idle;
  for (IdleInterval& interval : db->idle.longest) {
    if (kept[interval.step] < 0) continue;
    interval.step = static_cast<uint32_t>(kept[interval.step]);
    idle.Add(interval);
  }
  idle.Finish();
  for (DeviceIdle& device : db->idle_parts) {
    std::erase_if(device.parts, [&](const IdleInterval& part) { return kept[part.step] < 0; });
    for (IdleInterval& part : device.parts) part.step = static_cast<uint32_t>(kept[part.step]);
  }
  db->idle = std::move(idle);
  db->steps = std::move(steps);
  db->device_steps = std::move(device_steps);
  db->causes = std::move(causes);
  std::erase_if(db->unrecorded_steps, [&](const Step& step) { return !scope.Has(step); });
  for (std::vector<PlaneId>* devices : {&db->unrecorded_devices, &db->idle_devices}) {
    std::erase_if(*devices,
                  [&](PlaneId device) { return !scope.HasHost(trace.planes[device.value].host); });
  }
  if (scope.whole_time()) return;  // the sums of all have dropped steps too
  db->compute16 = db->compute32 = 0;
  for (const Step& step : db->steps) {
    db->compute16 += step.compute16;
    db->compute32 += step.compute32;
  }
}

}  // namespace

std::vector<SharedText> HostNames(const Trace& trace) {
  std::vector<SharedText> names;
  for (uint32_t i = 0; i < trace.hosts.size(); ++i) names.emplace_back(trace.HostName(HostId(i)));
  return names;
}

std::vector<SharedText> DeviceNames(const Trace& trace) {
  std::vector<SharedText> names;
  for (const Plane& plane : trace.planes) {
    names.emplace_back(plane.display_name.empty() ? trace.names().strings.View(plane.name)
                                                  : std::string_view(plane.display_name));
  }
  return names;
}

std::shared_ptr<const StepDatabase> SelectSteps(AnalysisContext& context, const Scope& scope) {
  const Trace& trace = context.trace();
  const StepDatabase& all = context.Get<StepDatabase>();
  bool every_host = true;
  for (uint32_t h = 0; h < trace.hosts.size(); ++h)
    every_host = every_host && scope.HasHost(HostId(h));
  const bool several = std::any_of(all.steps.begin(), all.steps.end(),
                                   [&](const Step& s) { return s.host != all.steps.front().host; });
  const bool intersected = context.xprof().hosts_intersected && several && every_host;
  if (!intersected && every_host && scope.whole_time())
    return {std::shared_ptr<const StepDatabase>(), &all};  // points at what the context owns
  auto some = std::make_shared<StepDatabase>(all);
  if (intersected) {
    some->steps = IntersectHosts(trace, all);
    some->device_steps.clear();
    some->causes.clear();
  }
  KeepScope(trace, scope, some.get());
  return some;
}

AnalysisParams JudgedSteps::KeyOf(AnalysisParams params) {
  params.hlo = {};
  params.peaks.clear();
  return params;
}

JudgedSteps JudgedSteps::Compute(AnalysisContext& context, const AnalysisParams& params) {
  JudgedSteps steps;
  const Scope scope = ScopeOf(context, params);
  steps.selected = SelectSteps(context, scope);
  const StepDatabase& db = *steps.selected;
  steps.without_steps = db.kind == DeviceKind::kGpu ? db.device_steps.empty() : db.steps.empty();
  steps.whole_time = scope.whole_time();
  steps.judged = !steps.without_steps ? steps.selected
                                      : std::make_shared<const StepDatabase>(
                                            steps.whole_time ? WholeSpan(context) : StepDatabase());
  return steps;
}

ResultTable StepTable(const Trace& trace, const std::vector<Step>& steps, bool bare) {
  ResultTable t;
  t.id = "steps";
  t.title = "Steps";
  t.SetColumns({{"stepnum", "Step", Unit::kNone, ValueType::kString, ""}});
  AddClassColumns(&t, bare, true);
  bool several = !bare && trace.hosts.size() > 1;
  if (several) t.AddColumn({"host", "Host", Unit::kNone, ValueType::kString, ""});
  if (!bare) {
    t.AddColumn({"inferred", "Inferred", Unit::kNone, ValueType::kBool,
                 "nothing in the profile marks the step"});
    t.AddColumn({"partial", "Partial", Unit::kNone, ValueType::kBool,
                 "cut by the begin or end of the recording: left out of the averages", true});
    t.AddColumn({"warmup", "Warm-up", Unit::kNone, ValueType::kBool,
                 "the first step, of over 1.5 times the others' median: left out too", true});
  }
  const std::vector<SharedText> hosts = HostNames(trace);
  t.links.reserve(steps.size());
  for (const Step& step : steps) {
    std::vector<Value> row;
    row.reserve(t.columns.size());
    row.emplace_back(step.label);
    for (const ClassColumn& c : kClasses) row.emplace_back(InMs(step.times.*c.field));
    if (several) row.emplace_back(hosts[step.host.value]);
    if (!bare) {
      row.emplace_back(step.inferred);
      row.emplace_back(step.partial);
      row.emplace_back(step.warmup);
    }
    t.AddRow(std::move(row));
    RowLink link = LinkTo(EventRows(step.rows));
    link.range = step.span;
    t.links.push_back(std::move(link));
  }
  return t;
}

ResultTable DeviceStepTable(const Trace& trace, const StepDatabase& db) {
  ResultTable t;
  t.id = "device_steps";
  t.title = "Steps of each device";
  t.SetColumns({{"stepnum", "Step", Unit::kNone, ValueType::kString, ""},
                {"host", "Host", Unit::kNone, ValueType::kString, ""},
                {"device", "Device", Unit::kNone, ValueType::kString, ""}});
  AddClassColumns(&t, false, false);
  auto column = [&](const char* id, const char* label, const char* how) {
    const bool key = std::string_view(id) == "stepTimeMs";
    t.AddColumn({id, label, Unit::kMs, ValueType::kReal, how, key});
  };
  column("inputWaitTimeMs", "Input wait", "device idle while the step waits for input on the host");
  column("h2dTimeMs", "Copies to device", "whole duration of the copies that the step issued");
  column("d2hTimeMs", "Copies to host", "whole duration of the copies that the step issued");
  column("collectiveWaitTimeMs", "Collective wait",
         "time in collectives before the last participant starts");
  column("idleTimeMs", "Idle", "no kernel or copy on the device");
  column("stepTimeMs", "Step time",
         "from the end of the last device event of the step before to that of the step");
  column("hostInputWaitTimeMs", "Input wait on the host", "whether the device is idle or not");
  column("h2dHiddenTimeMs", "Copies to device, hidden", "the part behind kernels");
  column("d2hHiddenTimeMs", "Copies to host, hidden", "the part behind kernels");
  t.AddColumn({"partial", "Partial", Unit::kNone, ValueType::kBool, "", true});
  const std::vector<SharedText> hosts = HostNames(trace), devices = DeviceNames(trace);
  t.links.reserve(db.device_steps.size());
  for (const DeviceStep& d : db.device_steps) {
    const Step& step = db.steps[d.step];
    std::vector<Value> row;
    row.reserve(t.columns.size());
    row = {step.label, hosts[step.host.value], devices[d.device.value]};
    for (const ClassColumn& c : kClasses) {
      if (c.field != &StepBreakdown::total) row.emplace_back(InMs(d.times.*c.field));
    }
    for (Ps v : {d.input_wait, d.h2d, d.d2h, d.collective_wait, d.idle}) row.emplace_back(InMs(v));
    row.emplace_back(InMs(d.times.total));
    for (Ps v : {d.host_input_wait, d.h2d_hidden, d.d2h_hidden}) row.emplace_back(InMs(v));
    row.emplace_back(step.partial);
    t.AddRow(std::move(row));
    RowLink link;
    link.range = d.span;
    link.total = d.events;
    t.links.push_back(std::move(link));
  }
  return t;
}

}  // namespace stepscope
