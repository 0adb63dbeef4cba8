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

 private:
  struct Depth {
    const Lane* lane = nullptr;
    std::vector<uint32_t> wanted;  // its events by index, and so by begin; they do not overlap
  };
  const Trace& trace_;
  std::vector<std::vector<Depth>> tracks_;  // by track, deepest first
  bool empty_ = true;
};

}  // namespace stepscope
