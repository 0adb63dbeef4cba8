#include "model/analysis/xla/step_sums.h"

#include <algorithm>

#include "model/analysis/steps/scope.h"

namespace stepscope {
namespace {

bool HoldsOthers(const HloOp& op) {
  return op.category == "while" || op.category == "conditional" || op.category == "call";
}

// The costs of `events` of the op's events.
HloSums PartOf(const HloOp& op, uint64_t events) {
  const double part = static_cast<double>(events) / static_cast<double>(op.events);
  HloSums sums = op;
  sums.occurrences = 0;
  sums.time = sums.self = sums.normalized = sums.stall = 0;
  for (double HloSums::*cost :
       {&HloSums::flops, &HloSums::model_flops, &HloSums::bytes, &HloSums::hbm,
        &HloSums::on_chip_read, &HloSums::on_chip_written, &HloSums::cmem_read,
        &HloSums::cmem_written, &HloSums::vmem_read, &HloSums::vmem_written})
    sums.*cost *= part;
  return sums;
}

// The steps in order of their begin.
std::vector<const Step*> StepsOf(const StepDatabase& steps, const Scope& scope) {
  std::vector<const Step*> chosen;
  for (const Step& step : steps.steps) {
    if (scope.Has(step) && !step.span.empty()) chosen.push_back(&step);
  }
  std::stable_sort(chosen.begin(), chosen.end(),
                   [](const Step* a, const Step* b) { return a->span.begin < b->span.begin; });
  return chosen;
}

}  // namespace

std::vector<HloStepSums> SumByStep(AnalysisContext& context, const HloOpTable& ops,
                                   const AnalysisParams& params) {
  const Scope scope = ScopeOf(context, params);
  const std::vector<const Step*> steps = StepsOf(context.Get<StepDatabase>(), scope);
  std::vector<HloStepSums> sums;
  for (const Step* step : steps) {
    HloStepSums& s = sums.emplace_back();
    s.label = std::to_string(step->number);
    s.sums.time = SaturatingMul(step->span.length(), std::max<uint32_t>(1, ops.devices));
  }
  for (const HloOp& op : ops.ops) {
    CheckStop();
    if (HoldsOthers(op)) continue;
    std::vector<uint64_t> events(steps.size());
    for (const EventRow row : op.rows) {
      const Ps begin = context.trace().set.Start(row);
      const auto after = std::upper_bound(steps.begin(), steps.end(), begin,
                                          [](Ps t, const Step* s) { return t < s->span.begin; });
      if (after != steps.begin() && (*(after - 1))->span.Contains(begin))
        ++events[static_cast<size_t>(after - steps.begin() - 1)];
    }
    for (size_t k = 0; k < events.size(); ++k) {
      if (events[k] > 0) sums[k].sums += PartOf(op, events[k]);
    }
  }
  return sums;
}

}  // namespace stepscope
