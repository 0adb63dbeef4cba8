// Chooses which definition of steps a trace gets (steps.h).
#include "model/analysis/definitions.h"
#include "model/analysis/intervals/step_number.h"
#include "model/analysis/steps/builders/tpu_steps.h"
#include "model/analysis/steps/steps.h"
#include "model/capabilities.h"

namespace stepscope {
namespace {

StepDatabase Find(AnalysisContext& context, std::stop_token stop) {
  const Trace& trace = context.trace();
  const StatTable& stats = context.stats(stop);
  const Grouping& grouping = context.grouping(stop);
  if (KindOf(trace) == DeviceKind::kTpu) {
    if (context.xprof().tpu_steps_of_line) return XprofTpuSteps(trace, stats, stop);
    StepDatabase tpu = TpuSteps(trace, stats, grouping, stop);
    if (!tpu.steps.empty()) return tpu;
  }
  if (context.xprof().gpu_steps_of_groups && CapabilitiesOf(trace).read_by_xprof)
    return XprofSteps(trace, stats, grouping, context.xprof(), stop);
  return OwnSteps(context, stop);
}

}  // namespace

StepDatabase BuildSteps(AnalysisContext& context, std::stop_token stop) {
  StepDatabase db = Find(context, std::move(stop));
  NumberSteps(&db.steps);
  for (Step& step : db.unrecorded_steps) step.number = LastNumber(step.label).value_or(-1);
  return db;
}

}  // namespace stepscope
