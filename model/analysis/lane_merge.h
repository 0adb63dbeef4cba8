// Visits the events of several lanes in order of start (ties: shorter first, then the earlier
// lane). O(n log lanes); runs of one lane cost nothing extra.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "model/trace.h"

namespace stepscope {

// Calls fn(lane, index) for every event.
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
  auto later = [](const Head& a, const Head& b) { return b < a; };
  std::vector<Head> heap;
  for (uint32_t i = 0; i < lanes.size(); ++i) {
    if (lanes[i]->size()) heap.push_back({lanes[i]->start[0], lanes[i]->dur[0], i, 0});
  }
  std::make_heap(heap.begin(), heap.end(), later);
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end(), later);
    Head& head = heap.back();
    const Lane& lane = *lanes[head.lane];
    bool more = true;
    do {
      fn(lane, head.index);
      more = ++head.index < lane.size();
      if (more) head = {lane.start[head.index], lane.dur[head.index], head.lane, head.index};
    } while (more && (heap.size() == 1 || head < heap.front()));
    if (more) {
      std::push_heap(heap.begin(), heap.end(), later);
    } else {
      heap.pop_back();
    }
  }
}

}  // namespace stepscope
