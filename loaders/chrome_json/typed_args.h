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
  std::vector<std::pair<StringStat, std::string_view>> tokens;  // texts, as TextOfToken reads them
  std::string allocator;                                        // of a [memory] instant
  void Clear() {
    ints.clear();
    reals.clear();
    tokens.clear();
    allocator.clear();
  }
};

// The text of a token: a string decoded, anything else as compact JSON.
std::string TextOfToken(std::string_view token);

// Replaces `out` with the typed values of an event's args object. `memory`: the event is a [memory]
// instant. The tokens are views of `args`.
void ReadTypedArgs(std::string_view args, bool memory, TypedArgs* out);

// The same for an event at the begin of `text`, which goes on behind it, in one pass. False when
// the event is not whole and well-formed, or has arguments twice: then `out` means nothing.
bool ReadArgsOfEvent(std::string_view text, bool memory, TypedArgs* out);

}  // namespace stepscope::chrome
