// These functions know the digits and letters of ASCII, whatever the locale; all other bytes stay
// as they are. Pure; any thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
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

inline bool ContainsAny(std::string_view text, std::span<const std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(), [&](std::string_view part) {
    return text.find(part) != std::string_view::npos;
  });
}

inline bool BeginsWithAny(std::string_view text, std::span<const std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return text.starts_with(part); });
}

// Whether the text has the words, with no letter or digit next to them: "NVIDIA L40S" has no "L4".
inline bool ContainsWords(std::string_view text, std::string_view words) {
  const auto is_word = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  for (size_t at = text.find(words); at != text.npos; at = text.find(words, at + 1)) {
    const size_t end = at + words.size();
    const bool begins = at == 0 || !is_word(text[at - 1]);
    if (begins && (end == text.size() || !is_word(text[end]))) return true;
    if (words.empty()) break;
  }
  return false;
}

}  // namespace stepscope
