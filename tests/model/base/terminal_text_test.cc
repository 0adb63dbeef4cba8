#include "model/base/terminal_text.h"

#include <doctest/doctest.h>

#include <string>

namespace stepscope {
namespace {

TEST_CASE("terminal text: names as they are, whatever their language") {
  for (const char* name : {"", "volta_sgemm<float, 3>", "\u00b5s", "\u884c\u5217", "caf\u00e9",
                           "1\u2009234", "\U0001f600", "C:\\x1b"}) {
    CAPTURE(name);
    CHECK(TerminalText(name) == name);
  }
}

TEST_CASE("terminal text: control bytes become visible, line ends and tabs too") {
  CHECK(TerminalText("a\x1b[31mred") == "a\\x1b[31mred");
  CHECK(TerminalText("a\nb\tc\r") == "a\\x0ab\\x09c\\x0d");
  CHECK(TerminalText(std::string_view("\0\x7f", 2)) == "\\x00\\x7f");
  CHECK(TerminalText("\x1b]8;;http://x\x07link") == "\\x1b]8;;http://x\\x07link");
}

TEST_CASE("terminal text: a cell has one line, whatever the text has") {
  CHECK(TerminalCell("a.py:3\nb.py:4\n") == "a.py:3; b.py:4");
  CHECK(TerminalCell("\n\na\n\nb\r\n") == "a; b\\x0d");
  CHECK(TerminalCell("\n").empty());
  CHECK(TerminalCell("one \\n line") == "one \\n line");
}

TEST_CASE("terminal text: control characters beyond ASCII and marks of direction") {
  CHECK(TerminalText("\u009b31m") == "\\u{9b}31m");
  CHECK(TerminalText("\u0085") == "\\u{85}");
  CHECK(TerminalText("a\u202eb\u2066c\u200f") == "a\\u{202e}b\\u{2066}c\\u{200f}");
  CHECK(TerminalText("\u2028\ufeff") == "\\u{2028}\\u{feff}");
  CHECK(TerminalText("\u00a0") == "\u00a0");  // the first after the control characters
}

TEST_CASE("terminal text: bytes that are not UTF-8, which a terminal may take for controls") {
  CHECK(TerminalText("\x9b"
                     "31m") == "\\x9b31m");
  CHECK(TerminalText("bad \xff name") == "bad \\xff name");
  CHECK(TerminalText("\xc2") == "\\xc2");           // cut off
  CHECK(TerminalText("\xc0\x9b") == "\\xc0\\x9b");  // an overlong form
  CHECK(TerminalText("\xe0\x82\x9b") == "\\xe0\\x82\\x9b");
  CHECK(TerminalText("\xed\xa0\x80") == "\\xed\\xa0\\x80");  // half of a surrogate pair
  CHECK(TerminalText("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");
  CHECK(TerminalText("\xe2\x80\xae") == "\\u{202e}");
}

// Whatever the input, the output has nothing that a terminal obeys.
TEST_CASE("terminal text: every pair of bytes") {
  for (int a = 0; a < 256; ++a) {
    for (int b = 0; b < 256; ++b) {
      const std::string in{static_cast<char>(a), static_cast<char>(b)};
      for (unsigned char c : TerminalText(in)) {
        if (c < 0x20 || c == 0x7f) FAIL("control byte of " << a << " " << b);
      }
      // Continuation bytes alone and lead bytes without their rest are not UTF-8.
      if (a >= 0x80 && a < 0xc2) CHECK(TerminalText(in).starts_with("\\x"));
    }
  }
}

}  // namespace
}  // namespace stepscope
