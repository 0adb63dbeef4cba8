// Chooses the arguments that become typed columns (docs/chrome.md has the table). Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/stats.h"

namespace stepscope::chrome {

// The typed values of one event, in any order.
struct TypedArgs {
  std::vector<std::pair<IntStat, int64_t>> ints;
  std::vector<std::pair<RealStat, double>> reals;
  std::vector<std::pair<StringStat, std::string>> texts;
  void Clear() {
    ints.clear();
    reals.clear();
    texts.clear();
  }
};

// Replaces `out` with the typed values of an event's args object. `memory`: the event is a [memory]
// instant.
void ReadTypedArgs(std::string_view args, bool memory, TypedArgs* out);

}  // namespace stepscope::chrome
