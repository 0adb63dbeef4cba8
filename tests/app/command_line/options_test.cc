#include <doctest/doctest.h>

#include "app/command_line/options.h"

namespace stepscope {
namespace {

TEST_CASE("option values: a range has two ends in order") {
  CHECK(ParseRange("1us..2us") == TimeRange{kPsPerUs, 2 * kPsPerUs});
  CHECK_FALSE(ParseRange("1us"));
  CHECK_FALSE(ParseRange("..2us"));
  CHECK_FALSE(ParseRange("2us..2us"));
}

TEST_CASE("option values: a size has two sides of 16 to 16384 pixels") {
  int w = 0, h = 0;
  CHECK(ParseSize("16x16384", &w, &h));
  CHECK(w == 16);
  CHECK(h == 16384);
  for (const char* bad : {"", "x", "100", "100x", "x100", "15x100", "100x99999", "100x100x",
                          "99999999999x100", "-100x100"}) {
    CAPTURE(bad);
    CHECK_FALSE(ParseSize(bad, &w, &h));
  }
}

}  // namespace
}  // namespace stepscope
