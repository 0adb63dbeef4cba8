#include "sql/script.h"

#include <algorithm>

namespace stepscope {

bool IsBlankSql(std::string_view text) {
  while (!text.empty()) {
    if (text.starts_with("--")) {
      const size_t end = text.find('\n');
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    } else if (text.starts_with("/*")) {
      const size_t end = text.find("*/", 2);
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 2);
    } else if (std::string_view(" \t\r\n\f;").find(text[0]) != std::string_view::npos) {
      text.remove_prefix(1);
    } else {
      return false;
    }
  }
  return true;
}

std::string PlaceIn(std::string_view text, size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte, text.size()));
  const size_t line = before.rfind('\n');
  const std::string_view in_line =
      line == std::string_view::npos ? before : before.substr(line + 1);
  const auto lines = std::count(before.begin(), before.end(), '\n');
  // Bytes 0x80 to 0xbf continue a character.
  const auto characters =
      std::count_if(in_line.begin(), in_line.end(), [](char c) { return (c & 0xc0) != 0x80; });
  return "line " + std::to_string(lines + 1) + ", column " + std::to_string(characters + 1);
}

}  // namespace stepscope
