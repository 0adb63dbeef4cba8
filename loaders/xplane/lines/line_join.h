// Puts together what was parsed of lines, or of pieces of a line. Stateless; different lines may be
// joined by different threads.
#pragma once

#include "loaders/xplane/lines/line_parser.h"
#include "model/raw_events.h"

namespace stepscope::xplane {

// Appends what was parsed of one line, or piece of a line, to what was parsed of another. `from` is
// used up. References to the file stay valid, however far apart the two lie.
void AppendLine(ParsedLine* to, ParsedLine* from);
// The same for events alone.
void AppendEvents(RawEvents* to, RawEvents* from);

}  // namespace stepscope::xplane
