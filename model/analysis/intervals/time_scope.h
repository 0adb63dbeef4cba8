// TimeScope: the begins of events that count, on one host. A value.
#pragma once

#include "model/time.h"

namespace stepscope {

// first <= begin <= last. None if last < first.
struct TimeScope {
  Ps first = kMinPs, last = kMaxPs;
  bool Contains(Ps begin) const { return begin >= first && begin <= last; }
  bool whole() const { return first == kMinPs && last == kMaxPs; }
};

}  // namespace stepscope
