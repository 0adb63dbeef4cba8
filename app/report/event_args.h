// The arguments of one event as JSON, in the form of the Chrome export.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/ids.h"
#include "model/stats.h"

namespace stepscope {

// Arguments of an event under PyTorch's names, for the export of other formats: tools that read
// it look for registers, launch shape, bytes and correlation under these names.

// Returns the arguments that the event has and that are not in `own`, its arguments in the file.
// Shapes are JSON lists. Any thread may call it. O(arguments log events).
std::vector<Stat> TorchArgs(const StatTable& stats, EventRow row, const std::vector<Stat>& own);

// Appends a JSON string; bytes that are not UTF-8 become replacement characters.
void AppendQuoted(std::string_view text, std::string* out);
// Appends {"name": value, ...} in one line. If `lists` is set, a text that is a JSON list is
// written as a list: the loader of Chrome traces keeps lists as texts.
void AppendArgs(const std::vector<Stat>& args, bool lists, std::string* out);

}  // namespace stepscope
