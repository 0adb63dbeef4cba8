// Visits the events of several lanes in order of start (ties: the shorter one, then that of the
// earlier lane). O(n log lanes); consecutive events of one lane cost no search.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "model/base/sort_runs.h"
#include "model/trace.h"

namespace stepscope {

// Calls fn(lane, index in the lane) for every event.
template <typename Fn>
void ForEachByStart(std::span<const Lane* const> lanes, Fn fn) {
  struct Head {
    Ps start, dur;
    uint32_t lane, index;
    bool operator<(const Head& o) const {
      if (start != o.start) return start < o.start;
      if (dur != o.dur) return dur < o.dur;
      return lane < o.lane;
    }
  };
  std::vector<Head> heap;
  for (uint32_t i = 0; i < lanes.size(); ++i) {
    if (lanes[i]->size()) heap.push_back({lanes[i]->start[0], lanes[i]->dur[0], i, 0});
  }
  HeapMerge(std::move(heap), [&](Head& head) {
    const Lane& lane = *lanes[head.lane];
    fn(lane, head.index);
    if (++head.index == lane.size()) return MergeStep::kEnd;
    head.start = lane.start[head.index];
    head.dur = lane.dur[head.index];
    return MergeStep::kMore;
  });
}

}  // namespace stepscope
