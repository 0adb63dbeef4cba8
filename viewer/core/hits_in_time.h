// HitsInTime: goes through what a search found by time, without a list of it in that order. The
// rows of a lane ascend with their starts, so each question is a binary search in every lane with
// hits. Hits that begin together follow each other as their runs, sets and rows do. Pure, any
// thread.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/track.h"
#include "viewer/core/highlight.h"
#include "viewer/core/run.h"

namespace stepscope {

class HitsInTime {
 public:
  // Reads `hits` and `runs` as long as it lives. O(lanes with hits · log)
  HitsInTime(std::span<const Highlight::Rows> hits, std::span<const Run> runs);

  uint64_t size() const { return size_; }
  // Behind a hit the next one (direction 1) or the previous one (-1). Of another event the first
  // hit that begins with it or later, or the last one that begins earlier. Where there is none, the
  // first or the last of all, as for an event that is none. Invalid without hits.
  // O(lanes with hits · log)
  EventRef Next(const EventRef& from, int direction) const;
  // How many come before this hit. O(lanes with hits · log)
  uint64_t Before(const EventRef& hit) const;
  // The earliest, `most` of them, lane by lane. O(result + lanes with hits · log)
  std::vector<EventRef> Earliest(uint64_t most) const;

 private:
  struct Part {  // hits of a set
    const Run* run = nullptr;
    uint32_t set = 0;
    std::span<const uint32_t> rows;
  };
  struct LaneHits {
    uint32_t part = 0;
    const Lane* lane = nullptr;
    std::span<const uint32_t> rows;
  };
  struct Place {  // compares as its hit comes
    Ps start = 0;
    uint32_t part = 0, row = 0;
    auto operator<=>(const Place&) const = default;
  };

  void AddLanes(uint32_t part);
  Place PlaceOf(const LaneHits& hits, size_t i) const;
  std::optional<Place> PlaceOfHit(const EventRef& event) const;
  Ps StartOf(const EventRef& event) const;
  // Of the lane, how many come before the place.
  size_t CountBefore(const LaneHits& hits, const Place& place) const;
  uint64_t CountBefore(const Place& place) const;
  std::optional<Place> Following(const Place& place, bool itself) const;
  std::optional<Place> Preceding(const Place& place) const;
  EventRef Ref(const Place& place) const;

  std::span<const Run> runs_;
  std::vector<Part> parts_;
  std::vector<LaneHits> lanes_;
  uint64_t size_ = 0;
};

}  // namespace stepscope
