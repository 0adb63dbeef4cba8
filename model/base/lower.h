// Lower case of ASCII letters; all other bytes stay, whatever the locale. Pure; O(length).
#pragma once

#include <string>
#include <string_view>

namespace stepscope {

constexpr char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

inline std::string Lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = Lower(c);
  return out;
}

}  // namespace stepscope
