#include "model/compare/step_items.h"

#include <algorithm>
#include <array>
#include <map>

#include "model/analysis/steps/verdict.h"

namespace stepscope::compare {

const char* IdOf(WorkKind kind) {
  static constexpr const char* kIds[] = {"op",   "kernel", "copy",   "collective",
                                         "wait", "input",  "launch", "idle"};
  return kIds[static_cast<size_t>(kind)];
}

WorkKind KindOf(StepTimeClass loss) {
  switch (loss) {
    case StepTimeClass::kCompute:
      return WorkKind::kOp;
    case StepTimeClass::kHostToDevice:
    case StepTimeClass::kDeviceToHost:
    case StepTimeClass::kDeviceToDevice:
      return WorkKind::kCopy;
    case StepTimeClass::kCollective:
      return WorkKind::kCollective;
    case StepTimeClass::kCollectiveWait:
      return WorkKind::kWait;
    case StepTimeClass::kInput:
      return WorkKind::kInput;
    case StepTimeClass::kLaunch:
      return WorkKind::kLaunch;
    default:
      return WorkKind::kIdle;
  }
}

std::vector<StepSample> SamplesOf(std::span<const Step> steps, const std::vector<bool>& typical) {
  std::vector<StepSample> samples(steps.size());
  std::map<uint32_t, uint32_t> of_host;
  for (size_t s = 0; s < steps.size(); ++s) {
    if (typical[s]) samples[s] = {steps[s].host.value, of_host[steps[s].host.value]++, 1};
  }
  for (size_t s = 0; s < steps.size(); ++s) {
    if (typical[s]) samples[s].steps = of_host[steps[s].host.value];
  }
  return samples;
}

void StepSum::Close(StepSample next, Sums* sums) {
  const auto square = [](double x) { return x * x; };
  sums->squares += square(sums->open);
  if (sums->follows) sums->changes += square(sums->open - sums->before);
  sums->of_device += sums->open;
  const bool same = next.device == sums->sample.device;
  sums->follows = same && next.step > sums->sample.step;
  sums->before = sums->open;
  if (sums->follows && next.step > sums->sample.step + 1) {  // steps in between have 0
    sums->changes += square(sums->before);
    sums->before = 0;
  }
  if (!same) {
    sums->total += sums->of_device;
    sums->means += square(sums->of_device) / sums->sample.steps;
    sums->of_device = 0;
  }
  sums->open = 0;
  sums->sample = next;
}

Scatter StepSum::ScatterOf(size_t samples, size_t devices) const {
  if (devices == 0 || samples / devices < 3) return {};
  Sums sums = sums_;
  Close({}, &sums);
  Scatter scatter;
  scatter.n = static_cast<double>(samples) / static_cast<double>(devices);
  // Values have the weight 1 / samples.
  const double unit = static_cast<double>(samples) * scatter.n;
  scatter.squares = unit * std::max(0.0, sums.squares - sums.means);
  // The squared changes of a series are twice its squares less its products, but for both ends,
  // which have 1 / n of the squares each.
  scatter.products = scatter.squares * (1 - 1 / scatter.n) - unit * sums.changes / 2;
  return scatter;
}

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
