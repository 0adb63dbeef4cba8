// Arguments of one event as JSON, as the export writes them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/stats.h"

namespace stepscope {

// A JSON string; what is not UTF-8 becomes replacement characters.
void AppendQuoted(std::string_view text, std::string* out);
// {"name": value, ...} in one line. `lists`: a text that is a JSON list stands as one, which is how
// lists among the arguments of a Chrome trace are read.
void AppendArgs(const std::vector<Stat>& args, bool lists, std::string* out);

}  // namespace stepscope
