// SelfTimes: the self times of one lane's events, asked for in ascending order. It visits each
// child once: O(events + children) in all. Borrows the set. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>

#include "model/track.h"

namespace stepscope {

class SelfTimes {
 public:
  // Starts at event `first` of the lane. O(log n).
  SelfTimes(const TrackSet& set, const Lane& lane, uint32_t first) : lane_(&lane) {
    const auto lanes = set.LanesOf(set.tracks[lane.track.value]);
    const size_t below = size_t{lane.depth} + 1;
    if (first >= lane.size() || lane.kind != LaneKind::kNested || below >= lanes.size()) return;
    if (lanes[below].kind != LaneKind::kNested) return;
    below_ = &lanes[below];
    child_ = static_cast<uint32_t>(
        std::lower_bound(below_->start.begin(), below_->start.end(), lane.start[first]) -
        below_->start.begin());
  }
  // The duration of event `i` less that of the events one depth down. `i` must ascend.
  Ps Of(uint32_t i) {
    Ps self = lane_->dur[i];
    if (below_ == nullptr) return self;
    const Ps begin = lane_->start[i], end = lane_->end(i);
    while (child_ < below_->size() && below_->start[child_] < begin) ++child_;
    for (; child_ < below_->size() && below_->start[child_] < end; ++child_)
      self -= below_->dur[child_];
    return self;
  }

 private:
  const Lane* lane_;
  const Lane* below_ = nullptr;
  uint32_t child_ = 0;
};

}  // namespace stepscope
