// Whether a text contains or begins with one of several parts. Pure; O(text * parts). Letters and
// digits are those of ASCII.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>

namespace stepscope {

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
