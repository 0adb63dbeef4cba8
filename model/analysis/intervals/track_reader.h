// TrackReader: reads the columns of one track by row, in any order of its lanes. In the order of
// EventOrder the lane changes with nearly every event, so the lane of a row is found among the few
// of the track, and not among all of the set as RowReader does. O(lanes) an event of a track with
// few lanes, else O(log lanes). Views the trace. Used by one thread.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "model/trace.h"

namespace stepscope {

class TrackReader {
 public:
  TrackReader(const TrackSet& set, const Track& track) : lanes_(set.LanesOf(track)) {
    first_rows_.fill(~uint32_t{0});  // no row is as large
    for (size_t i = 0; i < lanes_.size(); ++i)
      (i < kFew ? first_rows_[i] : more_.emplace_back()) = lanes_[i].first_row;
  }

  // An event of the track; `row` must be one of its rows.
  struct Event {
    Ps start, dur;
    uint32_t meta;
    Ps end() const { return SaturatingAdd(start, dur); }
  };
  Event Of(uint32_t row) const {
    // Rows are numbered lane by lane. A sum of comparisons needs no branch that may be
    // mispredicted, and most tracks have few lanes.
    size_t before = 0;
    for (size_t i = 1; i < kFew; ++i) before += first_rows_[i] <= row ? 1 : 0;
    before += MoreBefore(row);
    const Lane& lane = lanes_[before];
    const uint32_t i = row - lane.first_row;
    return {lane.start[i], lane.dur[i], lane.meta[i]};
  }

 private:
  static constexpr size_t kFew = 4, kMany = 64;

  // The number of further lanes that begin at or before the row. Deep nesting makes thousands.
  size_t MoreBefore(uint32_t row) const {
    if (more_.size() > kMany)
      return static_cast<size_t>(std::upper_bound(more_.begin(), more_.end(), row) - more_.begin());
    size_t before = 0;
    for (const uint32_t first : more_) before += first <= row ? 1 : 0;
    return before;
  }

  std::span<const Lane> lanes_;
  std::array<uint32_t, kFew> first_rows_;  // by lane
  std::vector<uint32_t> more_;             // of further lanes
};

}  // namespace stepscope
