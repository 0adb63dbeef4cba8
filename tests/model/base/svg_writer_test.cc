// SvgWriter: escaping, colours, elements.
#include "model/base/svg_writer.h"

#include <doctest/doctest.h>

using namespace stepscope;  // NOLINT

TEST_CASE("svg: text of a profile is escaped, and what XML does not allow is replaced") {
  CHECK(SvgText("void f<int>(\"a&b\")") == "void f&lt;int&gt;(&quot;a&amp;b&quot;)");
  CHECK(SvgText("\xC3\xA4\xE2\x80\xA6") == "\xC3\xA4\xE2\x80\xA6");
  CHECK(SvgText("a\xFF\xC0\x80z\x01") == "a\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBDz ");
  CHECK(SvgText("\xEF\xBF\xBF") == "\xEF\xBF\xBD");  // XML has no U+FFFF
}

TEST_CASE("svg: colours are #rrggbb without alpha, elements have titles") {
  CHECK(SvgColor(FromRgb(0x4c9aff, 10)) == "#4c9aff");
  SvgWriter out;
  out.Rect({1, 2, 3.25, 4}, "none", "rx=\"2\"", "a<b");
  out.Text(5, 6, "t", "class=\"c\"");
  CHECK(out.text() ==
        "<rect x=\"1.0\" y=\"2.0\" width=\"3.2\" height=\"4.0\" fill=\"none\" rx=\"2\">"
        "<title>a&lt;b</title></rect><text x=\"5.0\" y=\"6.0\" class=\"c\">t</text>");
}
