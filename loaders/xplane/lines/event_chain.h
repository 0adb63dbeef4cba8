// FindEventChain finds events in the middle of a line. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "loaders/xplane/scan/plane_tables.h"

namespace stepscope::xplane {

// Whole events that follow one another, without a gap.
struct EventChain {
  size_t begin = 0, end = 0;  // of their fields, in the bytes
  size_t events = 0;          // 0: none was found
};

inline constexpr size_t kLeastChain = 3;  // fewer may be bytes that only look like events
inline constexpr size_t kMostChain = 24;  // more tell nothing new about whether they are events

// Returns the first chain in the bytes of a line, which has no marks to enter it at, and at most
// `most` events of it. They lie one after the other, and each names a metadata of its plane. An
// event says when it began, which tells it from its stats, whose field has the same number. Bytes
// that were made for it may look like events that the line does not have; ParseLine reads them as
// safely. O(bytes) for real lines.
EventChain FindEventChain(std::span<const uint8_t> bytes, const IdMap& ids,
                          size_t most = kMostChain);

}  // namespace stepscope::xplane
