// SvgWriter: collects the elements of a vector picture as text. It escapes what comes from a
// profile and replaces what is not UTF-8, so that any reader of XML takes it. Knows no ImGui.
#pragma once

#include <string>
#include <string_view>

#include "model/base/color.h"

namespace stepscope {

class SvgWriter {
 public:
  struct Place {  // pixels
    double x = 0, y = 0, w = 0, h = 0;
  };
  // `fill` is a colour as SVG writes it: "#4c9aff", "url(#faster)",
  // "var(--text)". `more` has further attributes.
  void Rect(const Place& place, std::string_view fill, std::string_view more = {},
            std::string_view title = {});
  void Line(double x0, double y0, double x1, double y1, std::string_view more);
  // `y` is that of the baseline.
  void Text(double x, double y, std::string_view text, std::string_view more);
  void Raw(std::string_view markup) { out_ += markup; }
  const std::string& text() const { return out_; }

 private:
  std::string out_;
};

std::string SvgColor(Rgba color);  // "#rrggbb"; alpha is dropped
// The text as content or attribute of XML. O(length).
std::string SvgText(std::string_view text);

// & < > and both quotes become entities. Control bytes, which neither format allows,
// become spaces. Invisible characters that change how the rest is shown (as in
// TerminalText) become \u{202e}. O(length).
std::string EscapeMarkup(std::string_view text);

}  // namespace stepscope
