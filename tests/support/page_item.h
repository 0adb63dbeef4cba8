// An item of a page of docs that a test writes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

namespace stepscope::test {

// "- TEXT", with lines of at most 120 columns.
inline void AddItem(const std::string& text, std::string* out) {
  constexpr size_t kColumns = 120;
  std::string line = "-";
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    at = end + 1;
    if (line.size() + 1 + word.size() > kColumns) {
      *out += line + "\n";
      line = " ";
    }
    line += " " + word;
  }
  *out += line + "\n";
}

}  // namespace stepscope::test
