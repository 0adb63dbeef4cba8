// Which definition of steps a trace gets.
#include "model/analysis/quirks.h"
#include "model/analysis/steps.h"
#include "model/analysis/tpu.h"
#include "model/capabilities.h"

namespace stepscope {
namespace {

StepDatabase Find(AnalysisContext& context, std::stop_token stop) {
  const Trace& trace = context.trace();
  const StatTable& stats = context.stats(stop);
  const Grouping& grouping = context.grouping(stop);
  if (KindOf(trace) == DeviceKind::kTpu) {
    StepDatabase tpu = TpuSteps(trace, stats, stop);
    if (!tpu.steps.empty()) return tpu;
  }
  if (context.quirks().gpu_steps_of_groups && CapabilitiesOf(trace).read_by_xprof)
    return XprofSteps(trace, stats, grouping, context.quirks(), stop);
  return OwnSteps(trace, stats, grouping, context.quirks(), stop);
}

}  // namespace

StepDatabase BuildSteps(AnalysisContext& context, std::stop_token stop) {
  StepDatabase db = Find(context, std::move(stop));
  NumberSteps(&db.steps);
  return db;
}

}  // namespace stepscope
