// The arguments of one event as JSON, in the form of the Chrome export.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/stats.h"

namespace stepscope {

// Appends a JSON string; bytes that are not UTF-8 become replacement characters.
void AppendQuoted(std::string_view text, std::string* out);
// Appends {"name": value, ...} in one line. If `lists` is set, a text that is a JSON list is
// written as a list: the loader of Chrome traces keeps lists as texts.
void AppendArgs(const std::vector<Stat>& args, bool lists, std::string* out);

}  // namespace stepscope
