#include "model/analysis/findings/step_verdict.h"

#include <algorithm>
#include <array>
#include <utility>

#include "model/analysis/findings/kernels/kernels_in_steps.h"
#include "model/analysis/naming/kernel_category.h"
#include "model/analysis/ops/op_database.h"
#include "model/analysis/ranks/ranks.h"
#include "model/analysis/recording/recording.h"
#include "model/analysis/steps/builders/tpu_steps.h"
#include "model/analysis/steps/scope.h"
#include "model/capabilities.h"

namespace stepscope {

AnalysisParams StepVerdict::KeyOf(AnalysisParams params) {
  return JudgedSteps::KeyOf(std::move(params));
}

StepVerdict StepVerdict::Compute(AnalysisContext& context, const AnalysisParams& params) {
  const Trace& trace = context.trace();
  const std::shared_ptr<const JudgedSteps> steps = context.Get<JudgedSteps>(params);
  StepVerdict judged;
  if (steps->judged->kind == DeviceKind::kTpu)
    judged.waits = AsyncWaitsOf(trace, context.stats(), *steps->judged);
  // Only PyTorch's recordings say which ops launch nothing.
  const auto ops = CapabilitiesOf(trace).pytorch_events
                       ? OpsOf(context.Get<OpDatabase>(params), trace, params)
                       : std::make_shared<const HostOps>();
  const std::vector<uint8_t> on_host = HostSideOps(trace, *ops);
  const auto kinds = [&] { return context.Get<ExposedKinds>(params); };
  judged.verdict = Judge(trace, *steps->judged, steps->without_steps, kinds, judged.waits, on_host,
                         &context.Get<Recording>());
  NameLateRank(context, params, &judged.verdict);
  return judged;
}

std::optional<KernelWork> LargestKernelWork(AnalysisContext& context,
                                            const AnalysisParams& params) {
  if (context.Get<JudgedSteps>(params)->judged->kind != DeviceKind::kGpu) return {};
  struct Times {
    double time = 0, matrix = 0;  // ps
  };
  std::array<Times, static_cast<size_t>(KernelCategory::kCount)> times;
  double all = 0;
  KernelCategories categories;
  for (const KernelGroup& kernel : context.Get<KernelsInSteps>(params)->kernels) {
    const double time = static_cast<double>(kernel.total);
    Times& of = times[static_cast<size_t>(categories.Of(kernel.name, kernel.op_name))];
    of.time += time, all += time;
    if (kernel.uses_matrix_unit) of.matrix += time;
  }
  times[static_cast<size_t>(KernelCategory::kCollective)].time = 0;
  times[static_cast<size_t>(KernelCategory::kCopy)].time = 0;
  const auto most = std::max_element(
      times.begin(), times.end(), [](const Times& a, const Times& b) { return a.time < b.time; });
  // "Other" says nothing.
  if (most->time <= 0 || most == &times[static_cast<size_t>(KernelCategory::kOther)]) return {};
  return KernelWork{static_cast<KernelCategory>(most - times.begin()), 100 * most->time / all,
                    100 * most->matrix / most->time};
}

}  // namespace stepscope
