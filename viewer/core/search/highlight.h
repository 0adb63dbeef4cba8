// Highlight: the events that are drawn bright while the rest is dimmed. Plain data, by
// profile and set.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "model/ids.h"
#include "model/track.h"
#include "viewer/core/profiles/profile.h"

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

// HitsInTime: goes through the hits of a search in order of time without sorting them. The rows of
// a lane ascend with their starts, so each question is a binary search in every lane with hits.
// Hits that begin together follow each other by profile, set and row. Pure; any thread.
class HitsInTime {
 public:
  // Keeps references to `hits` and `profiles`, which must outlive it. O(lanes with hits · log)
  HitsInTime(std::span<const Highlight::Rows> hits, std::span<const Profile> profiles);

  uint64_t size() const { return size_; }
  // The hit after `from` (direction 1) or before it (-1). If `from` is no hit: the first hit that
  // begins with it or later, or the last one that begins earlier. Past the end it goes on with the
  // first or the last of all hits, and so it does for an invalid `from`. Invalid without hits.
  // O(lanes with hits · log)
  EventRef Next(const EventRef& from, int direction) const;
  // How many hits come before this one. O(lanes with hits · log)
  uint64_t Before(const EventRef& hit) const;
  // The earliest hits, at most `most`, lane by lane. O(result + lanes with hits · log)
  std::vector<EventRef> Earliest(uint64_t most) const;

 private:
  struct Part {  // the hits in one set
    const Profile* profile = nullptr;
    uint32_t set = 0;
    std::span<const uint32_t> rows;
  };
  struct LaneHits {
    uint32_t part = 0;
    const Lane* lane = nullptr;
    std::span<const uint32_t> rows;
  };
  struct Place {  // where a hit stands in the order
    Ps start = 0;
    uint32_t part = 0, row = 0;
    auto operator<=>(const Place&) const = default;
  };

  void AddLanes(uint32_t part);
  Place PlaceOf(const LaneHits& hits, size_t i) const;
  std::optional<Place> PlaceOfHit(const EventRef& event) const;
  Ps StartOf(const EventRef& event) const;
  // How many hits of the lane come before the place.
  size_t CountBefore(const LaneHits& hits, const Place& place) const;
  uint64_t CountBefore(const Place& place) const;
  std::optional<Place> Following(const Place& place, bool itself) const;
  std::optional<Place> Preceding(const Place& place) const;
  EventRef Ref(const Place& place) const;

  std::span<const Profile> profiles_;
  std::vector<Part> parts_;
  std::vector<LaneHits> lanes_;
  uint64_t size_ = 0;
};

}  // namespace stepscope
