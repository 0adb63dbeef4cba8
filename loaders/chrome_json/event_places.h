// EventPlaces: where the events of a trace begin in their files, by stretches of text. A file is
// read stretch by stretch: in order of rows, each thread of the program would go through all of it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/base/column.h"
#include "model/trace.h"

namespace stepscope::chrome {

class EventPlaces {
 public:
  static constexpr uint64_t kStretch = uint64_t{1} << 20;  // bytes, which fit a core's cache

  // Where the event of a row begins.
  struct Place {
    uint32_t offset;  // from the begin of its stretch
    uint32_t row;
    uint32_t meta;  // MetaId
  };
  struct Stretch {
    uint32_t file = 0;
    uint64_t begin = 0, end = 0;
    std::span<const Place> places;  // by ascending row
  };

  // `sizes`: the bytes of each file. Uses all cores. O(events). Throws std::bad_alloc.
  EventPlaces(const Trace& trace, const std::vector<uint64_t>& sizes);

  // Those in which events begin. They borrow from this object.
  const std::vector<Stretch>& stretches() const { return stretches_; }

 private:
  Column<Place> places_;
  std::vector<Stretch> stretches_;
};

}  // namespace stepscope::chrome
