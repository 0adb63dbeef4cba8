// Whether a text contains or begins with one of several parts. Pure; O(text * parts).
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

}  // namespace stepscope
