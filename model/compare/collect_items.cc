#include "model/compare/collect_items.h"

#include <algorithm>

#include "model/analysis/steps/verdict.h"
#include "model/compare/cpu_items.h"
#include "model/compare/device_sweep.h"

namespace stepscope::compare {
namespace {

size_t CountTypical(const std::vector<bool>& typical) {
  return static_cast<size_t>(std::count(typical.begin(), typical.end(), true));
}

// A class as a sentence names it.
const char* NameOf(StepTimeClass c) {
  switch (c) {
    case StepTimeClass::kHostToDevice:
      return "copies to the device";
    case StepTimeClass::kDeviceToHost:
      return "copies to the host";
    case StepTimeClass::kDeviceToDevice:
      return "copies on the device";
    case StepTimeClass::kCollectiveWait:
      return "waiting for participants";
    default:
      return IdOf(c);
  }
}

// Steps that cannot be divided further: one item for each class of time.
void AddClasses(const StepDatabase& steps, const std::vector<bool>& typical, ItemTable* table) {
  const double weight = 1 / static_cast<double>(CountTypical(typical));
  const std::vector<StepSample> samples = SamplesOf(steps.steps, typical);
  for (uint32_t s = 0; s < steps.steps.size(); ++s) {
    if (!typical[s]) continue;
    const std::array<double, kStepTimeClasses> losses = ClassTimesOf(steps.steps[s]);
    for (size_t c = 0; c < kStepTimeClasses; ++c) {
      if (losses[c] <= 0) continue;
      const auto loss = static_cast<StepTimeClass>(c);
      StepItem& item = table->item(table->Find(KindOf(loss), loss, NameOf(loss)));
      item.time.Add(samples[s], losses[c] * weight);
      item.count += weight;
    }
  }
}

}  // namespace

StepItems CollectItems(AnalysisContext& context, const StepDatabase& steps,
                       const std::vector<bool>& typical) {
  ItemTable table;
  StepItems step;
  const size_t count = CountTypical(typical);
  step.samples = count;
  for (uint32_t s = 0; s < steps.steps.size(); ++s) {
    if (typical[s]) step.mean += steps.steps[s].times.total / static_cast<double>(count);
  }
  if (steps.kind == DeviceKind::kGpu && !steps.device_steps.empty()) {
    step.samples = SweepDevices(context, steps, typical, &table);
    step.devices = std::max<size_t>(1, (step.samples + count - 1) / std::max<size_t>(1, count));
  } else if (steps.kind == DeviceKind::kCpuOnly) {
    AddCpuItems(context, steps, typical, &table);
  } else {
    AddClasses(steps, typical, &table);
  }
  step.items = table.TakeItems();
  step.work = table.TakeWork();
  return step;
}

}  // namespace stepscope::compare
