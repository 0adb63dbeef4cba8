#include "sql/question.h"

#include <algorithm>

#include "model/base/ascii.h"

namespace stepscope {
namespace {

// The length of the comment that the text begins with, in bytes; 0 for other texts.
size_t LengthOfComment(std::string_view text) {
  const bool line = text.starts_with("--");
  if (!line && !text.starts_with("/*")) return 0;
  const std::string_view end = line ? "\n" : "*/";
  const size_t found = text.find(end, line ? 0 : 2);
  return found == std::string_view::npos ? text.size() : found + end.size();
}

// The length of the quoted text or name that the text begins with; 0 for other texts. 'a''b' counts
// as two quoted texts, 'a' and 'b'.
size_t LengthOfQuoted(std::string_view text) {
  const char quote = text.front() == '[' ? ']' : text.front();
  if (std::string_view("'\"`]").find(quote) == std::string_view::npos || text.front() == ']')
    return 0;
  const size_t end = text.find(quote, 1);
  return end == std::string_view::npos ? text.size() : end + 1;
}

size_t LengthOfWord(std::string_view text) {
  const auto end = std::find_if(text.begin(), text.end(), [](char c) {
    const char lower = Lower(c);
    return !((lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
             (c & 0x80) != 0);
  });
  return static_cast<size_t>(end - text.begin());
}

bool JoinsResults(std::string_view word) {
  const std::string lower = Lower(word);
  return lower == "union" || lower == "intersect" || lower == "except";
}

}  // namespace

std::optional<SqlParameter> ParseSqlParameter(std::string_view text) {
  const size_t sign = text.find('=');
  if (sign == std::string_view::npos || sign == 0) return std::nullopt;
  return SqlParameter{std::string(text.substr(0, sign)), std::string(text.substr(sign + 1))};
}

bool IsBlankSql(std::string_view text) {
  while (!text.empty()) {
    if (const size_t comment = LengthOfComment(text); comment > 0) {
      text.remove_prefix(comment);
    } else if (std::string_view(" \t\r\n\f;").find(text[0]) != std::string_view::npos) {
      text.remove_prefix(1);
    } else {
      return false;
    }
  }
  return true;
}

bool IsCompoundSql(std::string_view text) {
  while (!text.empty()) {
    if (const size_t skipped = LengthOfComment(text) + LengthOfQuoted(text); skipped > 0) {
      text.remove_prefix(skipped);
      continue;
    }
    const size_t word = LengthOfWord(text);
    if (JoinsResults(text.substr(0, word))) return true;
    text.remove_prefix(std::max<size_t>(word, 1));
  }
  return false;
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
