#include "model/analysis/devices/step_spans.h"

#include <algorithm>
#include <utility>

namespace stepscope {

StepSpans::StepSpans(const StepDatabase& db) {
  const bool any =
      std::any_of(db.steps.begin(), db.steps.end(), [](const Step& s) { return s.counts(); });
  for (const DeviceStep& d : db.device_steps) {
    if (!any || db.steps[d.step].counts()) by_device_[d.device.value].push_back(d.span);
  }
  for (auto& [device, spans] : by_device_) spans = UnionOf(std::move(spans));
}

}  // namespace stepscope
