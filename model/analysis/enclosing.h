// Enclosing: finds the innermost event of some kinds around another event of the same track, when
// few events are of them: annotations, compiled regions. O(events) to build, O(depths log n) to
// ask.
#pragma once

#include <vector>

#include "model/trace.h"

namespace stepscope {

class Enclosing {
 public:
  // `wanted` says it of each MetaId.
  Enclosing(const Trace& trace, const std::vector<bool>& wanted);

  bool empty() const { return empty_; }
  // The innermost wanted event that encloses the event, or is it; invalid if none.
  EventRow Around(EventRow row) const;

 private:
  struct Depth {  // wanted events of one lane, by begin; they do not overlap
    uint16_t depth = 0;
    std::vector<uint32_t> rows;
  };
  const Trace& trace_;
  std::vector<std::vector<Depth>> tracks_;  // by track, deepest first
  bool empty_ = true;
};

}  // namespace stepscope
