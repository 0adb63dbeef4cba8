// Parses two numbers with a separator. Pure.
#pragma once

#include <charconv>
#include <string_view>

namespace stepscope {

// Whether the text is two numbers with the character `between` between
// them, and nothing else: "12.7".
template <typename T>
bool ParsePair(std::string_view text, char between, T* first, T* second) {
  const char* end = text.data() + text.size();
  const auto a = std::from_chars(text.data(), end, *first);
  if (a.ec != std::errc() || a.ptr == end || *a.ptr != between) return false;
  const auto b = std::from_chars(a.ptr + 1, end, *second);
  return b.ec == std::errc() && b.ptr == end;
}

}  // namespace stepscope
