// Highlight: events drawn bright while the rest is dimmed. Plain data, by run and set.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/ids.h"

namespace stepscope {

// Events shown bright while the rest is dimmed: search hits, or what a panel's row links to.
struct Highlight {
  uint64_t version = 0;  // 0: none
  struct Rows {
    TraceId run;
    uint32_t set = 0;
    std::vector<uint32_t> rows;
  };
  std::vector<Rows> rows;  // of each part sorted
  const std::vector<uint32_t>* Find(TraceId run, uint32_t set) const;
};

// The rows of events, in the order of the events. O(events · sets)
std::vector<Highlight::Rows> ByRunAndSet(std::span<const EventRef> events);

}  // namespace stepscope
