#include "model/analysis/devices/step_spans.h"

#include <algorithm>
#include <iterator>
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

bool StepSpans::Has(const Trace& trace, EventRow event) const {
  const TrackSet& set = trace.set;
  const Ranges* of = Of(set.tracks[set.lanes[set.LaneOf(event).value].track.value].plane);
  if (of == nullptr) return false;
  const Ps begin = set.Start(event);
  const auto after = std::upper_bound(of->begin(), of->end(), begin,
                                      [](Ps t, const TimeRange& r) { return t < r.begin; });
  return after != of->begin() && begin < std::prev(after)->end;
}

}  // namespace stepscope
