// These functions put together what was parsed of lines, or of pieces of a line. Stateless;
// different lines may be joined by different threads.
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
// Renumbers ids without metadata, behind so many of the pieces before.
void RenumberMissing(std::span<uint32_t> metas, uint32_t before);

}  // namespace stepscope::xplane
