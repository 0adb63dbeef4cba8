// Highlight: the events that are drawn bright while the rest is dimmed. Plain data, by
// profile and set.
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
  uint64_t version = 0;  // another number for other events; 0: nothing is highlighted
  struct Rows {
    ProfileId profile;
    uint32_t set = 0;
    // Ascending, never null. Shared, because a search may find ten million.
    std::shared_ptr<const std::vector<uint32_t>> rows;
  };
  std::vector<Rows> rows;
  const std::vector<uint32_t>* Find(ProfileId profile, uint32_t set) const;
};

Highlight::Rows RowsOf(ProfileId profile, uint32_t set, std::vector<uint32_t> rows);
// The rows of events, by profile and set. O(n log n); O(n) where the events are a few ascending
// lists one behind another.
std::vector<Highlight::Rows> ByRunAndSet(std::span<const EventRef> events);

// The rows that count as events: of each profile those of its own set, as `stepscope events` counts
// them. Derived rows stand for events that are counted already, and are given only where the
// profile has no others. O(parts)
std::vector<Highlight::Rows> CountedRows(std::span<const Highlight::Rows> rows);

// Calls fn(lane, rows of the lane) for each lane that has some of `rows`, which ascend. Rows beyond
// the set are left out. O(lanes with rows · log rows)
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
