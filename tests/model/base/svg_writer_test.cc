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

namespace stepscope {

TEST_CASE(
    "markup: characters that end a text or an attribute become entities, control bytes spaces") {
  CHECK(EscapeMarkup("gemm<float, 128>") == "gemm&lt;float, 128&gt;");
  CHECK(EscapeMarkup("a && \"b\" 'c'") == "a &amp;&amp; &quot;b&quot; &#39;c&#39;");
  CHECK(EscapeMarkup(std::string_view("a\0b\x01\n\tc", 7)) == "a b \n\tc");
  CHECK(EscapeMarkup("µs") == "µs");
  CHECK(EscapeMarkup("a\xc2\x9b"
                     "31m\xe2\x80\xae"
                     "b") == "a\\u{9b}31m\\u{202e}b");
  CHECK(EscapeMarkup("\xe2\x80\xa6 \xc2") == "\xe2\x80\xa6 \xc2");
}

}  // namespace stepscope
