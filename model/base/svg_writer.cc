#include "model/base/svg_writer.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/markup.h"
#include "model/base/utf8.h"

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

}  // namespace stepscope
