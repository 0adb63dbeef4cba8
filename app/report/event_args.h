// Arguments of one event, as the list of events and the export write them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/base/status.h"
#include "model/trace.h"

namespace stepscope {

// One for each name: that of the event itself wins over its metadata's. Empty where the trace has
// no source. Any thread.
Result<std::vector<Stat>> ReadArgs(const Trace& trace, EventRow row);

// A JSON string; what is not UTF-8 becomes replacement characters.
void AppendQuoted(std::string_view text, std::string* out);
// {"name": value, ...} in one line. `lists`: a text that is a JSON list stands as one, which is how
// lists among the arguments of a Chrome trace are read.
void AppendArgs(const std::vector<Stat>& args, bool lists, std::string* out);

}  // namespace stepscope
