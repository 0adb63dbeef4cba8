#include "model/compare/step_items.h"

#include <algorithm>

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

double StepSum::Variance(size_t samples, size_t devices) const {
  if (devices == 0 || samples / devices < 3) return 0;
  const auto n = static_cast<double>(samples);
  const double all = total(), squares = squares_ + open_ * open_;
  const double spread = std::max(0.0, squares - all * all / n) / (n - 1);
  return spread * n * static_cast<double>(devices);
}

}  // namespace stepscope::compare
