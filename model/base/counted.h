// Counts in sentences.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/base/digits.h"

namespace stepscope {

// "event" of one, "events" of none or several; of a plural that needs no more than its s taken
// away.
constexpr std::string_view NounFor(uint64_t n, std::string_view things) {
  if (n == 1 && things.ends_with('s')) things.remove_suffix(1);
  return things;
}
// "1 event", "0 events", "12 345 events".
inline std::string Counted(uint64_t n, std::string_view things) {
  return GroupDigits(n) + " " + std::string(NounFor(n, things));
}

}  // namespace stepscope
