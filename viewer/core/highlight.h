// Highlight: events drawn bright while the rest is dimmed. Plain data, by run and set.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "model/ids.h"
#include "model/track.h"

namespace stepscope {

// Events shown bright while the rest is dimmed: search hits, or what a panel's row links to.
struct Highlight {
  uint64_t version = 0;  // 0: none
  struct Rows {
    TraceId run;
    uint32_t set = 0;
    // Sorted, and never null. Shared: a search may find ten million.
    std::shared_ptr<const std::vector<uint32_t>> rows;
  };
  std::vector<Rows> rows;
  const std::vector<uint32_t>* Find(TraceId run, uint32_t set) const;
};

Highlight::Rows RowsOf(TraceId run, uint32_t set, std::vector<uint32_t> rows);
// The rows of events. O(n log n), and O(n) for a few ascending lists, one after the other.
std::vector<Highlight::Rows> ByRunAndSet(std::span<const EventRef> events);

// Calls fn(lane, its rows) for each lane that has some of `rows`, which are sorted; those that are
// not of the set are left out. O(lanes with rows · log)
template <typename Fn>
void ForLanesWith(const TrackSet& set, std::span<const uint32_t> rows, Fn fn) {
  while (!rows.empty() && rows.front() < set.rows) {
    const Lane& lane = set.lanes[set.LaneOf(EventRow(rows.front())).value];
    const uint64_t end = uint64_t{lane.first_row} + lane.size();
    const auto behind =
        std::partition_point(rows.begin(), rows.end(), [end](uint32_t row) { return row < end; });
    const auto count = static_cast<size_t>(behind - rows.begin());
    fn(lane, rows.first(count));
    rows = rows.subspan(count);
  }
}

}  // namespace stepscope
