#include "model/time.h"

#include <doctest/doctest.h>

namespace stepscope {
namespace {

TEST_CASE("durations choose their unit and keep their digits") {
  CHECK(FormatDuration(0) == "0 ps");
  CHECK(FormatDuration(17) == "17 ps");
  CHECK(FormatDuration(999) == "999 ps");
  CHECK(FormatDuration(1'500) == "1.500 ns");
  CHECK(FormatDuration(12'345'678'901) == "12.35 ms");
  CHECK(FormatDuration(12'345'678'901, 5) == "12.346 ms");
  CHECK(FormatDuration(-2 * kPsPerUs) == "-2.000 \u00b5s");
  CHECK(FormatDuration(12'345 * kPsPerS) == "12\u2009345 s");
}

TEST_CASE("rounding carries into the next unit") {
  CHECK(FormatDuration(999'960) == "1.000 \u00b5s");
  CHECK(FormatDuration(999'940) == "999.9 ns");
  CHECK(FormatDuration(999'999'999'999) == "1.000 s");
}

TEST_CASE("the ends of the range have a text") {
  CHECK(FormatDuration(kMaxPs) == "9\u2009223\u2009372 s");
  CHECK(FormatDuration(kMinPs) == "-9\u2009223\u2009372 s");
}

TEST_CASE("durations are read back") {
  Ps t = 0;
  CHECK((ParseDuration("12ms", &t) && t == 12 * kPsPerMs));
  CHECK((ParseDuration(" 1.5 us ", &t) && t == 1'500'000));
  CHECK((ParseDuration("1.5 \u00b5s", &t) && t == 1'500'000));
  CHECK((ParseDuration("300ns", &t) && t == 300'000));
  CHECK((ParseDuration("2s", &t) && t == 2 * kPsPerS));
  CHECK((ParseDuration("17ps", &t) && t == 17));
  CHECK((ParseDuration("3", &t) && t == 3 * kPsPerMs));
  CHECK((ParseDuration("-3us", &t) && t == -3 * kPsPerUs));
  for (const char* bad : {"", "ms", "1 parsec", "1 m s", "nan", "inf s", "1e300s", "0x"}) {
    CAPTURE(bad);
    t = 42;
    CHECK_FALSE(ParseDuration(bad, &t));
    CHECK(t == 42);
  }
}

TEST_CASE("arithmetic with numbers from a file saturates") {
  CHECK(SaturatingAdd(kMaxPs, 1) == kMaxPs);
  CHECK(SaturatingAdd(kMinPs, -1) == kMinPs);
  CHECK(SaturatingSub(kMinPs, 1) == kMinPs);
  CHECK(SaturatingSub(0, kMinPs) == kMaxPs);
  CHECK(SaturatingMul(kMaxPs, 2) == kMaxPs);
  CHECK(SaturatingMul(kMaxPs, -2) == kMinPs);
  CHECK(TimeRange{kMinPs, kMaxPs}.length() == kMaxPs);
}

}  // namespace
}  // namespace stepscope
