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

LeftOutRows::LeftOutRows(const TrackSet& set, const StepSpans& spans) : set_(set) {
  if (spans.none()) return;
  for (const Lane& lane : set.lanes) {
    const auto row_at = [&](Ps t) {
      return static_cast<uint32_t>(std::lower_bound(lane.start.begin(), lane.start.end(), t) -
                                   lane.start.begin());
    };
    uint32_t first = 0;
    if (const stepscope::Ranges* counted = spans.Of(set.tracks[lane.track.value].plane)) {
      for (const TimeRange& span : *counted) {
        Add(lane, first, row_at(span.begin));
        first = row_at(span.end);
      }
    }
    Add(lane, first, lane.size());
  }
}

void LeftOutRows::Add(const Lane& lane, uint32_t first, uint32_t end) {
  if (first < end) ranges_.push_back({lane.first_row + first, end - first});
}

LeftOutRows::Ranges::const_iterator LeftOutRows::First(uint32_t row) const {
  return std::partition_point(ranges_.begin(), ranges_.end(),
                              [row](const RowRange& range) { return range.end() <= row; });
}

}  // namespace stepscope
