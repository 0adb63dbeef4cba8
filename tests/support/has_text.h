// A test asks here whether a text says something.
#pragma once

#include <string_view>

namespace stepscope::test {

inline bool Has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace stepscope::test
