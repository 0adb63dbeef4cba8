#include "model/base/svg_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "model/base/terminal_text.h"

namespace stepscope {
std::string SvgText(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  while (!text.empty()) {
    const CodePoint c = DecodeUtf8(text);
    const bool in_xml = c.bytes > 0 && c.value != 0xfffe && c.value != 0xffff;
    clean += in_xml ? text.substr(0, c.bytes) : std::string_view("\xEF\xBF\xBD");
    text.remove_prefix(std::max<size_t>(c.bytes, 1));
  }
  return EscapeMarkup(clean);
}

std::string SvgColor(Rgba color) {
  return fmt::format("#{:02x}{:02x}{:02x}", color & 255u, (color >> 8) & 255u,
                     (color >> 16) & 255u);
}

void SvgWriter::Rect(const Place& place, std::string_view fill, std::string_view more,
                     std::string_view title) {
  out_ += fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
      "fill=\"{}\"{}{}",
      place.x, place.y, place.w, place.h, fill, more.empty() ? "" : " ", more);
  out_ += title.empty() ? "/>" : "><title>" + SvgText(title) + "</title></rect>";
}

void SvgWriter::Line(double x0, double y0, double x1, double y1, std::string_view more) {
  out_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>", x0, y0,
                      x1, y1, more);
}

void SvgWriter::Text(double x, double y, std::string_view text, std::string_view more) {
  out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>", x, y, more, SvgText(text));
}

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
