// Highlight: events drawn bright while the rest is dimmed. Plain data, by run and set.
#pragma once

#include <cstdint>
#include <memory>
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
    // Sorted, and never null. Shared: a search may find ten million.
    std::shared_ptr<const std::vector<uint32_t>> rows;
  };
  std::vector<Rows> rows;
  const std::vector<uint32_t>* Find(TraceId run, uint32_t set) const;
};

Highlight::Rows RowsOf(TraceId run, uint32_t set, std::vector<uint32_t> rows);
// The rows of events. O(n log n), and O(n) for a few ascending lists, one after the other.
std::vector<Highlight::Rows> ByRunAndSet(std::span<const EventRef> events);

}  // namespace stepscope
