// TrackReader: reads the columns of one track by row, in any order of its lanes. In the order of
// EventOrder the lane changes with nearly every event, so the lane of a row is found among the few
// of the track, and not among all of the set as RowReader does. O(lanes of the track) an event.
// Views the trace. Used by one thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/trace.h"

namespace stepscope {

class TrackReader {
 public:
  TrackReader(const TrackSet& set, const Track& track) : lanes_(set.LanesOf(track)) {
    for (const Lane& lane : lanes_) first_rows_.push_back(lane.first_row);
  }

  // An event of the track; `row` must be one of its rows.
  struct Event {
    Ps start, dur;
    uint32_t meta;
    Ps end() const { return SaturatingAdd(start, dur); }
  };
  Event Of(uint32_t row) const {
    // Rows are numbered lane by lane. A sum of comparisons needs no branch that may be
    // mispredicted.
    size_t after = 0;
    for (const uint32_t first : first_rows_) after += first <= row ? 1 : 0;
    const Lane& lane = lanes_[after - 1];
    const uint32_t i = row - lane.first_row;
    return {lane.start[i], lane.dur[i], lane.meta[i]};
  }

 private:
  std::span<const Lane> lanes_;
  std::vector<uint32_t> first_rows_;  // by lane
};

}  // namespace stepscope
