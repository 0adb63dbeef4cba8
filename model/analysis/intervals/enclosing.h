// Enclosing: finds the innermost event of chosen kinds around another event of the same track. For
// kinds with few events: annotations, compiled regions. Immutable once built; any thread may ask.
// O(events) to build, O(depths log n) to ask.
#pragma once

#include <vector>

#include "model/trace.h"

namespace stepscope {

class Enclosing {
 public:
  // `wanted`: by MetaId, whether its events are of the chosen kinds.
  Enclosing(const Trace& trace, const std::vector<bool>& wanted);
  Enclosing(const Trace& trace, EventCategory wanted);

  bool empty() const { return empty_; }
  // The innermost wanted event that encloses the event, or is that event; invalid if there is none.
  EventRow Around(EventRow row) const;

  // Asks about many events. Near to the one before, in time and on the same track, an event takes
  // O(depths). Borrows the Enclosing. One thread.
  class Reader {
   public:
    explicit Reader(const Enclosing& enclosing) : enclosing_(enclosing) {}
    EventRow Around(EventRow row);

   private:
    const Enclosing& enclosing_;
    const Lane* lane_ = nullptr;  // of the event before
    std::vector<size_t> places_;  // by depth of its track: how many wanted events had begun
  };

 private:
  struct Depth {
    const Lane* lane = nullptr;
    std::vector<uint32_t> wanted;  // its events by index, and so by begin; they do not overlap
  };
  const Lane& LaneOf(EventRow row) const { return trace_.set.lanes[trace_.set.LaneOf(row).value]; }
  static size_t Begun(const Depth& depth, Ps time, size_t near);
  EventRow Find(const Lane& lane, EventRow row, size_t* places) const;

  const Trace& trace_;
  std::vector<std::vector<Depth>> tracks_;  // by track, deepest first
  bool empty_ = true;
};

}  // namespace stepscope
