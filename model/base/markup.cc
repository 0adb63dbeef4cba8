#include "model/base/markup.h"

#include <array>
#include <cstdio>

namespace stepscope {

namespace {

constexpr std::string_view kMarks = "&<>\"'";
constexpr const char* kEntities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};

// The bytes of a character at the start of the text that a page would obey and not show: controls
// of U+0080 to U+009F, marks that change the direction of writing, invisible spaces, line
// separators. 0 for any other character.
size_t UnseenAt(std::string_view text, size_t at, unsigned* code) {
  const auto byte = [&](size_t i) {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0u;
  };
  if (byte(0) == 0xc2 && byte(1) >= 0x80 && byte(1) < 0xa0) {
    *code = byte(1);
    return 2;
  }
  if (byte(0) != 0xe2 || (byte(1) & 0xc0) != 0x80 || (byte(2) & 0xc0) != 0x80) return 0;
  *code = 0x2000 | (byte(1) & 0x3f) << 6 | (byte(2) & 0x3f);
  const bool unseen = (*code >= 0x200b && *code <= 0x200f) ||
                      (*code >= 0x2028 && *code <= 0x202e) || (*code >= 0x2066 && *code <= 0x2069);
  return unseen ? 3 : 0;
}

}  // namespace

std::string EscapeMarkup(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    unsigned code = 0;
    if (const size_t bytes = UnseenAt(text, i, &code); bytes > 0) {
      std::array<char, 16> shown{};
      std::snprintf(shown.data(), shown.size(), "\\u{%x}", code);
      out += shown.data();
      i += bytes - 1;
      continue;
    }
    const size_t mark = kMarks.find(c);
    if (mark != kMarks.npos) {
      out += kEntities[mark];
    } else {
      out += static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' ? ' ' : c;
    }
  }
  return out;
}

}  // namespace stepscope
