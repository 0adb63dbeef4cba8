#include "model/analysis/findings/kernels/kernels_in_steps.h"

#include <utility>

#include "model/analysis/devices/step_spans.h"
#include "model/analysis/steps/scope.h"

namespace stepscope {
namespace {

// Changes a group to the kernels that are not left out.
void KeepInSteps(const LeftOutRows& left_out, KernelGroup* group) {
  std::vector<EventRow> gone;
  left_out.ForEach(group->rows, [&](EventRow event, Ps duration) {
    gone.push_back(event);
    group->total -= duration;
  });
  if (gone.empty()) return;
  std::vector<EventRow> kept;
  kept.reserve(group->rows.size() - gone.size());
  auto next = gone.begin();  // in the order of the rows
  for (const EventRow event : group->rows) {
    if (next != gone.end() && event == *next) {
      ++next;
    } else {
      kept.push_back(event);
    }
  }
  group->occurrences = kept.size();
  group->rows = EventRows(std::move(kept));
}

}  // namespace

KernelsInSteps KernelsInSteps::Compute(AnalysisContext& context, const AnalysisParams& params) {
  KernelsInSteps in_steps{context.Get<KernelStats>(params)->kernels};
  const StepSpans spans(*context.Get<JudgedSteps>(params)->judged);
  if (spans.none()) return in_steps;
  const LeftOutRows left_out(context.trace().set, spans);
  ParallelFor(in_steps.kernels.size(),
              [&](size_t i) { KeepInSteps(left_out, &in_steps.kernels[i]); });
  return in_steps;
}

}  // namespace stepscope
