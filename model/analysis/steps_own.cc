// Steps by our own definitions: from marks, from implicit roots, or inferred.
#include <algorithm>

#include "model/analysis/device_steps.h"
#include "model/analysis/steps.h"

namespace stepscope {
namespace {

// Steps from groups: all that have a marker, or, where none has, the implicit roots that are large
// enough to be steps.
StepPlan PlanFromGroups(const Trace& trace, const Grouping& grouping, bool implicit) {
  StepPlan plan;
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

void DivideGpus(const Trace& trace, const StatTable& stats, const Grouping& grouping,
                StepDatabase* db, std::stop_token stop) {
  for (bool implicit : {false, true}) {
    StepPlan plan = PlanFromGroups(trace, grouping, implicit);
    if (plan.steps.empty()) continue;
    DivideDevices(trace, stats, grouping, std::move(plan), db, stop);
    if (db->steps.empty()) continue;
    db->inferred = implicit && !grouping.from_file;
    db->confidence = db->inferred ? 0.8 : 1;
    db->how = db->inferred ? "No marks: each run of a function is taken as a step."
                           : "From the marks in the profile.";
    return;
  }
  StepPlan plan = InferByPeriod(trace, &db->confidence);
  if (plan.steps.empty()) return;
  DivideDevices(trace, stats, grouping, std::move(plan), db, stop);
  db->inferred = !db->steps.empty();
  db->how = "No marks: steps are the period of the kernel sequence on the busiest stream.";
}

}  // namespace

StepDatabase OwnSteps(const Trace& trace, const StatTable& stats, const Grouping& grouping,
                      std::stop_token stop) {
  StepDatabase db;
  db.kind = KindOf(trace);
  if (db.kind == DeviceKind::kGpu) {
    DivideGpus(trace, stats, grouping, &db, stop);
    db.kind = DeviceKind::kGpu;
    if (!db.steps.empty()) return db;
  }
  StepDatabase host = HostSteps(trace, stats, grouping, stop);
  host.kind = db.kind;
  if (host.steps.empty())
    host.how = "Nothing marks steps, no function is run again, and no sequence of kernels repeats.";
  return host;
}

}  // namespace stepscope
