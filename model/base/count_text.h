// Counts with their noun, for sentences. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/base/digits.h"

namespace stepscope {

// "event" if n is 1, else "events". `things` is a plural that becomes singular without its s.
constexpr std::string_view NounFor(uint64_t n, std::string_view things) {
  if (n == 1 && things.ends_with('s')) things.remove_suffix(1);
  return things;
}
// "1 event", "0 events", "12 345 events".
inline std::string Counted(uint64_t n, std::string_view things) {
  return GroupDigits(n) + " " + std::string(NounFor(n, things));
}

}  // namespace stepscope
