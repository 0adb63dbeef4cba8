#include "model/base/markup.h"

#include <doctest/doctest.h>

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
