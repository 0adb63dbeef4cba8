// SvgWriter: the elements of a vector picture, as text. What comes from a profile is escaped, and
// what is not UTF-8 replaced, so that any reader of XML takes it. Pure; knows no ImGui.
#pragma once

#include <string>
#include <string_view>

#include "viewer/core/color.h"

namespace stepscope {

class SvgWriter {
 public:
  struct Place {  // pixels
    double x = 0, y = 0, w = 0, h = 0;
  };
  // Colours are words of SVG: "#4c9aff", "url(#faster)", "var(--text)". `more` are attributes.
  void Rect(const Place& place, std::string_view fill, std::string_view more = {},
            std::string_view title = {});
  void Line(double x0, double y0, double x1, double y1, std::string_view more);
  // y: of the baseline.
  void Text(double x, double y, std::string_view text, std::string_view more);
  void Raw(std::string_view markup) { out_ += markup; }
  const std::string& text() const { return out_; }

 private:
  std::string out_;
};

std::string SvgColor(Rgba color);  // "#rrggbb", without its alpha
// As content or attribute of XML. O(length)
std::string SvgText(std::string_view text);

}  // namespace stepscope
