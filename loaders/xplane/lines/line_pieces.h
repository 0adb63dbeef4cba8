// These functions put together what was parsed of lines, or of pieces of a line. They have no
// state, so different threads may join different lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "loaders/xplane/lines/line_parser.h"
#include "loaders/xplane/scan/plane_tables.h"
#include "model/lane_builder.h"

namespace stepscope::xplane {

// FindEventChain finds events in the middle of a line. Pure.

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

// Appends what was parsed of one line, or piece of a line, to what was parsed of another. `from` is
// used up. References to the file stay valid, however far apart the two lie.
void AppendLine(ParsedLine* to, ParsedLine* from);
// Does the same for events alone.
void AppendEvents(RawEvents* to, RawEvents* from);
// Renumbers ids without metadata: the pieces before have the first `before` of these numbers.
void RenumberMissing(std::span<uint32_t> metas, uint32_t before);

}  // namespace stepscope::xplane
