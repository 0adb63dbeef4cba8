// AncestorReader: which event of chosen kinds an event runs inside, asked for many events. Borrows
// the set. One thread. Near to the event before, on the same track, it takes O(depth); elsewhere
// O(depth log n). Takes 4 bytes a lane.
#pragma once

#include <cstdint>
#include <vector>

#include "model/track.h"

namespace stepscope {

// By MetaId: whether its events are of the category.
std::vector<bool> MetasOf(const NameTable& names, EventCategory category);

class AncestorReader {
 public:
  explicit AncestorReader(const TrackSet& set);

  // The first of the event, its Parent(), the parent of that and so on (lookup.h) that is wanted;
  // invalid if none is. `wanted`: by MetaId.
  EventRow Find(EventRow row, const std::vector<bool>& wanted);

 private:
  uint32_t LaneOf(uint32_t row);
  uint32_t FirstAfter(uint32_t lane, Ps time);

  const TrackSet& set_;
  uint32_t lane_ = 0;           // of the event before
  std::vector<uint32_t> near_;  // by lane: what FirstAfter said before
};

}  // namespace stepscope
