// These functions put together what was parsed of lines, or of pieces of a line. They have no
// state, so different threads may join different lines.
#pragma once

#include <cstdint>
#include <span>

#include "loaders/xplane/lines/line_parser.h"
#include "model/raw_events.h"

namespace stepscope::xplane {

// Appends what was parsed of one line, or piece of a line, to what was parsed of another. `from` is
// used up. References to the file stay valid, however far apart the two lie.
void AppendLine(ParsedLine* to, ParsedLine* from);
// Does the same for events alone.
void AppendEvents(RawEvents* to, RawEvents* from);
// Renumbers ids without metadata: the pieces before have the first `before` of these numbers.
void RenumberMissing(std::span<uint32_t> metas, uint32_t before);

}  // namespace stepscope::xplane
