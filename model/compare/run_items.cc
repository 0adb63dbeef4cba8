#include "model/compare/run_items.h"

#include <algorithm>

#include "model/analysis/verdict.h"
#include "model/compare/cpu_items.h"
#include "model/compare/device_sweep.h"

namespace stepscope {
namespace {

size_t CountTypical(const std::vector<bool>& typical) {
  return static_cast<size_t>(std::count(typical.begin(), typical.end(), true));
}

// Of steps that are not divided by device: what their classes tell.
void AddClasses(const StepDatabase& steps, const std::vector<bool>& typical, ItemTable* table) {
  const double weight = 1 / static_cast<double>(CountTypical(typical));
  for (uint32_t s = 0; s < steps.steps.size(); ++s) {
    if (!typical[s]) continue;
    const std::array<double, kLossClasses> losses = LossesOf(steps.steps[s]);
    for (size_t c = 0; c < kLossClasses; ++c) {
      if (losses[c] <= 0) continue;
      const auto loss = static_cast<LossClass>(c);
      RunItem& item = table->item(table->Find(KindOf(loss), loss, IdOf(loss)));
      item.time.Add(s, losses[c] * weight);
      item.count += weight;
    }
  }
}

}  // namespace

const char* IdOf(ItemKind kind) {
  static constexpr const char* kIds[] = {"op",    "kernel", "copy", "collective",
                                         "input", "launch", "idle"};
  return kIds[static_cast<size_t>(kind)];
}

ItemKind KindOf(LossClass loss) {
  switch (loss) {
    case LossClass::kCompute:
      return ItemKind::kOp;
    case LossClass::kHostToDevice:
    case LossClass::kDeviceToHost:
    case LossClass::kDeviceToDevice:
      return ItemKind::kCopy;
    case LossClass::kCollective:
    case LossClass::kCollectiveWait:
      return ItemKind::kCollective;
    case LossClass::kInput:
      return ItemKind::kInput;
    case LossClass::kLaunch:
      return ItemKind::kLaunch;
    default:
      return ItemKind::kIdle;
  }
}

double StepSum::Variance(size_t samples, size_t devices) const {
  if (devices == 0 || samples / devices < 3) return 0;
  const auto n = static_cast<double>(samples);
  const double all = total(), squares = squares_ + open_ * open_;
  const double spread = std::max(0.0, squares - all * all / n) / (n - 1);
  return spread * n * static_cast<double>(devices);
}

RunItems CollectItems(AnalysisContext& context, const StepDatabase& steps,
                      const std::vector<bool>& typical, std::stop_token stop) {
  ItemTable table;
  RunItems run;
  const size_t count = CountTypical(typical);
  run.samples = count;
  for (uint32_t s = 0; s < steps.steps.size(); ++s) {
    if (typical[s]) run.mean += steps.steps[s].times.total / static_cast<double>(count);
  }
  if (steps.kind == DeviceKind::kGpu && !steps.device_steps.empty()) {
    run.samples = SweepDevices(context, steps, typical, &table, stop);
    run.devices = std::max<size_t>(1, (run.samples + count - 1) / std::max<size_t>(1, count));
  } else if (steps.kind == DeviceKind::kCpuOnly) {
    AddCpuItems(context, steps, typical, &table, stop);
  } else {
    AddClasses(steps, typical, &table);
  }
  run.items = table.TakeItems();
  run.work = table.TakeWork();
  return run;
}

}  // namespace stepscope
