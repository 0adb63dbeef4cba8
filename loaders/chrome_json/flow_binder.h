// Makes arrows of flow events: finds which slice each flow event belongs to, and which of them make
// an arrow (docs/chrome.md).
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "loaders/chrome_json/file_events.h"

namespace stepscope::chrome {

struct Arrow {
  uint32_t from_thread, from_slice, to_thread, to_slice;
  naming::Part from_part, to_part;
  uint64_t id;
  uint32_t key;  // meta of the flow events, or kNoIndex
};

// Binds events->flows to slices: to a slice that begins at that time, else the innermost one around
// it; an end without "bp":"e" and without a slice around it to the next one that begins. Then
// links: each step and end to the last start or step before it with the same name, category and id;
// one start may have many ends (a CUDA graph launch). Counts what cannot be linked in
// events->diagnostics. Some are missing when asked to stop. O(n log n) in flow events and the
// slices of their threads. In several lists, one after the other.
std::vector<std::vector<Arrow>> BindFlows(FileEvents* events, const std::stop_token& stop);

}  // namespace stepscope::chrome
