// Chooses which definition of steps a trace gets (steps.h).
#include "model/analysis/definitions.h"
#include "model/analysis/intervals/step_number.h"
#include "model/analysis/steps/builders/tpu_steps.h"
#include "model/analysis/steps/steps.h"
#include "model/capabilities.h"

namespace stepscope {
namespace {

StepDatabase Find(AnalysisContext& context) {
  const Trace& trace = context.trace();
  const StatTable& stats = context.stats();
  const Grouping& grouping = context.Get<Grouping>();
  if (KindOf(trace) == DeviceKind::kTpu) {
    if (context.xprof().tpu_steps_of_line) return XprofTpuSteps(trace, stats);
    StepDatabase tpu = TpuSteps(trace, stats, grouping);
    if (!tpu.steps.empty()) return tpu;
  }
  if (context.xprof().gpu_steps_of_groups && CapabilitiesOf(trace).read_by_xprof)
    return XprofSteps(trace, stats, grouping, context.xprof());
  return OwnSteps(context);
}

}  // namespace

StepDatabase StepDatabase::Compute(AnalysisContext& context) {
  StepDatabase db = Find(context);
  NumberSteps(&db.steps);
  for (Step& step : db.unrecorded_steps) step.number = LastNumber(step.label).value_or(-1);
  return db;
}

}  // namespace stepscope
