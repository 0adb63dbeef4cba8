// HitsInTime: goes through the hits of a search in order of time without sorting them. The rows of
// a lane ascend with their starts, so each question is a binary search in every lane with hits.
// Hits that begin together follow each other by profile, set and row. Pure; any thread.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/track.h"
#include "viewer/core/profiles/profile.h"
#include "viewer/core/search/highlight.h"

namespace stepscope {

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
