#include "viewer/widgets/svg_pen.h"

#include <fmt/format.h>

#include <array>

namespace stepscope {
namespace {

// "fill=\"#4c9aff\"", with the opacity if the colour is not opaque.
std::string Paint(const char* what, Rgba color) {
  std::string text = fmt::format("{}=\"{}\"", what, SvgColor(color));
  if (const uint32_t alpha = color >> 24; alpha < 255)
    text += fmt::format(" {}-opacity=\"{:.2f}\"", what, alpha / 255.0);
  return text;
}

std::string Stroke(Rgba color, float thickness) {
  return Paint("stroke", color) + fmt::format(" stroke-width=\"{:.1f}\" fill=\"none\"", thickness);
}

}  // namespace

void SvgPen::Fill(ImVec2 min, ImVec2 max, Rgba color, float rounding,
                  std::string_view title) const {
  if (max.x <= min.x || max.y <= min.y) return;
  std::string more;
  if (color >> 24 < 255) more = fmt::format("fill-opacity=\"{:.2f}\"", (color >> 24) / 255.0);
  if (rounding > 0) more += fmt::format("{}rx=\"{:.0f}\"", more.empty() ? "" : " ", rounding);
  out_.Rect({min.x, min.y, max.x - min.x, max.y - min.y}, SvgColor(color), more, title);
}

void SvgPen::Frame(float x, float y, float w, float h, Rgba color, float rounding,
                   float thickness) const {
  const float inset = thickness / 2;  // Dear ImGui draws within the box
  std::string more = Paint("stroke", color) + fmt::format(" stroke-width=\"{:.1f}\"", thickness);
  if (rounding > 0) more += fmt::format(" rx=\"{:.0f}\"", rounding);
  out_.Rect({x + inset, y + inset, std::max(0.0f, w - thickness), std::max(0.0f, h - thickness)},
            "none", more);
}

void SvgPen::Triangle(ImVec2 a, ImVec2 b, ImVec2 c, Rgba color) const {
  Path(fmt::format("M{:.1f} {:.1f}L{:.1f} {:.1f}L{:.1f} {:.1f}Z", a.x, a.y, b.x, b.y, c.x, c.y),
       color);
}

void SvgPen::Line(ImVec2 a, ImVec2 b, Rgba color, float thickness) const {
  out_.Line(a.x, a.y, b.x, b.y, Stroke(color, thickness));
}

void SvgPen::Curve(ImVec2 a, ImVec2 c, ImVec2 d, ImVec2 b, Rgba color, float thickness) const {
  out_.Raw(fmt::format("<path d=\"M{:.1f} {:.1f}C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}\" {}/>",
                       a.x, a.y, c.x, c.y, d.x, d.y, b.x, b.y, Stroke(color, thickness)));
}

void SvgPen::Disc(ImVec2 middle, float radius, Rgba color) const {
  out_.Raw(fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" {}/>", middle.x, middle.y,
                       radius, Paint("fill", color)));
}

void SvgPen::Circle(ImVec2 middle, float radius, Rgba color, float thickness) const {
  out_.Raw(fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" {}/>", middle.x, middle.y,
                       radius, Stroke(color, thickness)));
}

void SvgPen::Path(std::string_view data, Rgba color) const {
  out_.Raw(fmt::format("<path d=\"{}\" {}/>", data, Paint("fill", color)));
}

// The id of a definition, which is written when it is first used.
std::string SvgPen::Reference(const std::string& key, std::string_view definition) const {
  const auto [found, is_new] = defined_.try_emplace(key);
  if (is_new) {
    found->second = fmt::format("{}d{}", id_, defined_.size());
    out_.Raw(fmt::format(fmt::runtime(definition), found->second));
  }
  return found->second;
}

void SvgPen::Hatch(texel::Pattern pattern, ImVec2 min, ImVec2 max, Rgba color) const {
  constexpr std::array kPaths = {"", "M0 7L7 0", "M0 0L7 7", "M0 7L7 0M0 0L7 7"};
  if (pattern == texel::Pattern::kPlain) return;
  const char* path = kPaths[static_cast<size_t>(pattern)];
  const std::string id =
      Reference(path, fmt::format("<pattern id=\"{{}}\" width=\"7\" height=\"7\" "
                                  "patternUnits=\"userSpaceOnUse\"><path d=\"{}\" stroke=\"{}\" "
                                  "stroke-opacity=\"0.5\" stroke-width=\"1.5\"/></pattern>",
                                  path, SvgColor(color)));
  out_.Rect({min.x, min.y, max.x - min.x, max.y - min.y}, "url(#" + id + ")",
            "pointer-events=\"none\"");
}

// The text is as wide as on the screen, whatever font the reader has.
void SvgPen::Letters(ImFont* font, float pixels, ImVec2 at, Rgba color,
                     std::string_view text) const {
  if (text.empty()) return;
  const char* end = text.data() + text.size();
  const float width = font->CalcTextSizeA(pixels, FLT_MAX, 0, text.data(), end).x;
  const bool mono = font == fonts.mono || font == fonts.mono_bold;
  const bool bold = font == fonts.bold || font == fonts.mono_bold;
  out_.Text(at.x, at.y + pixels * 0.81f, text,
            fmt::format("font-size=\"{:.0f}\" {}{}{} textLength=\"{:.1f}\" "
                        "lengthAdjust=\"spacingAndGlyphs\" pointer-events=\"none\"",
                        pixels, Paint("fill", color), bold ? " font-weight=\"bold\"" : "",
                        mono ? " font-family=\"monospace\"" : "", width));
}

void SvgPen::PushClip(float x, float y, float right, float bottom) const {
  const std::string box =
      fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>", x, y,
                  std::max(0.0f, right - x), std::max(0.0f, bottom - y));
  const std::string id = Reference(box, "<clipPath id=\"{}\">" + box + "</clipPath>");
  out_.Raw(fmt::format("<g clip-path=\"url(#{})\">", id));
}

void SvgPen::PopClip() const { out_.Raw("</g>\n"); }

}  // namespace stepscope
