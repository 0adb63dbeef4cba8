// These functions know the digits and letters of ASCII, whatever the locale; all other bytes stay
// as they are. Pure; any thread.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace stepscope {

constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }

constexpr char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

inline std::string Lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = Lower(c);
  return out;
}

// Whether `text`, whose case does not matter, contains the part, which must be in lower case.
inline bool ContainsLower(std::string_view text, std::string_view lower_part) {
  const auto found = std::search(text.begin(), text.end(), lower_part.begin(), lower_part.end(),
                                 [](char a, char b) { return Lower(a) == b; });
  return found != text.end() || lower_part.empty();
}

}  // namespace stepscope
