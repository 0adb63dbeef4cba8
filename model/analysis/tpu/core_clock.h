// CoreClock: the line that leads from the clock of a TPU core to the session's clock. An op has a
// time on both. The core's is the true one; the session's bends by up to hundreds of milliseconds
// for single ops, and is right again over thousands. A value.
#pragma once

#include <span>

#include "model/time.h"

namespace stepscope {

class CoreClock {
 public:
  struct Reading {
    Ps core = 0, session = 0;  // when one event begins
  };

  CoreClock() = default;  // both clocks are one
  // Fits the line: the readings, by the core's time, fall into 16 parts of equal count. Each part
  // is stood for by the reading at its quantile of 25 % of (session - core), which the bends, most
  // of them delays, do not reach. The slope is the median of those of all pairs, the offset the
  // median of what is left. O(n log n).
  explicit CoreClock(std::span<const Reading> readings);

  Ps ToSession(Ps core) const;

 private:
  double slope_ = 0;  // of session - core
  Ps offset_ = 0;     // of session - core at origin_
  Ps origin_ = 0;
};

}  // namespace stepscope
