// Visits the events of several lanes in order of start. Among equal starts the earlier lane comes
// first, which puts outer events before inner ones and earlier tracks before later ones. Collects
// nothing: O(n log lanes) time, O(lanes) memory; successive events of one lane take O(1) each.
#pragma once

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "model/analysis/steps/scope.h"
#include "model/base/sort_runs.h"
#include "model/trace.h"

namespace stepscope {

// Events [first, end) of a lane.
struct LaneRange {
  const Lane* lane = nullptr;
  uint32_t first = 0, end = 0;
};

// The events of a lane of `host` that begin in the scope. O(log n).
inline LaneRange BeginningIn(const Lane& lane, const Scope& scope, HostId host) {
  if (!scope.HasHost(host)) return {&lane, 0, 0};
  const TimeScope& time = scope.OfHost(host);
  const auto begin = lane.start.begin(), end = lane.start.end();
  return {&lane, static_cast<uint32_t>(std::lower_bound(begin, end, time.first) - begin),
          static_cast<uint32_t>(std::upper_bound(begin, end, time.last) - begin)};
}

// The trace's own events that begin in the scope, by lane. Lanes without any are left out.
inline std::vector<LaneRange> LanesBeginningIn(const Trace& trace, const Scope& scope) {
  std::vector<LaneRange> ranges;
  for (const Lane& lane : trace.set.lanes) {
    const PlaneId plane = trace.set.tracks[lane.track.value].plane;
    const bool placed = plane.value < trace.planes.size();
    const LaneRange range =
        BeginningIn(lane, scope, placed ? trace.planes[plane.value].host : HostId());
    if (range.first < range.end) ranges.push_back(range);
  }
  return ranges;
}

// Calls fn(lane, index) for every event until it returns false.
template <typename Fn>
void ForEachInTimeOrder(std::span<const LaneRange> lanes, Fn fn) {
  struct Head {
    Ps start;
    uint32_t number, index;
    bool operator<(const Head& o) const {
      return start != o.start ? start < o.start : number < o.number;
    }
  };
  std::vector<Head> heap;
  for (uint32_t n = 0; n < lanes.size(); ++n) {
    const LaneRange& range = lanes[n];
    if (range.first < range.end) heap.push_back({range.lane->start[range.first], n, range.first});
  }
  HeapMerge(std::move(heap), [&](Head& head) {
    const LaneRange& range = lanes[head.number];
    if (!fn(*range.lane, head.index)) return MergeStep::kStop;
    if (++head.index == range.end) return MergeStep::kEnd;
    head.start = range.lane->start[head.index];
    return MergeStep::kMore;
  });
}

}  // namespace stepscope
