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

void SpanReader::Enter(EventRow event) {
  lane_ = &set_.lanes[set_.LaneOf(event).value];
  of_device_ = spans_.Of(set_.tracks[lane_->track.value].plane);
  after_ = 0;
}

std::optional<Ps> SpanReader::DurationIn(EventRow event) {
  if (lane_ == nullptr || event.value - lane_->first_row >= lane_->size()) Enter(event);
  const uint32_t i = event.value - lane_->first_row;
  if (spans_.none()) return lane_->dur[i];
  if (of_device_ == nullptr) return std::nullopt;
  if (event.value < last_) after_ = 0;
  last_ = event.value;
  const Ps begin = lane_->start[i];
  while (after_ < of_device_->size() && (*of_device_)[after_].begin <= begin) ++after_;
  const bool counts = after_ > 0 && begin < (*of_device_)[after_ - 1].end;
  return counts ? std::optional(lane_->dur[i]) : std::nullopt;
}

}  // namespace stepscope
