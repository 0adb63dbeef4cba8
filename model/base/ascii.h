// These functions know the digits and letters of ASCII, whatever the locale; all other bytes stay
// as they are. Pure; any thread.
#pragma once

#include <algorithm>
#include <cstddef>
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

// The text without blanks, tabs and ends of lines at its ends.
constexpr std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const size_t begin = std::min(text.find_first_not_of(kBlanks), text.size());
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

// Whether `text`, whose case does not matter, contains the part, which must be in lower case.
inline bool ContainsLower(std::string_view text, std::string_view lower_part) {
  const auto found = std::search(text.begin(), text.end(), lower_part.begin(), lower_part.end(),
                                 [](char a, char b) { return Lower(a) == b; });
  return found != text.end() || lower_part.empty();
}

}  // namespace stepscope
