// Counts in sentences.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/base/digits.h"

namespace stepscope {

// "1 event", "0 events", "12 345 events"; of a plural that needs no more than its s taken away.
inline std::string Counted(uint64_t n, std::string_view things) {
  if (n == 1 && things.ends_with('s')) things.remove_suffix(1);
  return GroupDigits(n) + " " + std::string(things);
}

}  // namespace stepscope
