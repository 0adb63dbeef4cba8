#include "loaders/common/json_number.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

namespace stepscope::json {
namespace {

int64_t Micros(std::string_view token) {
  const auto ps = ParseMicros(token);
  REQUIRE(ps.has_value());
  return static_cast<int64_t>(*ps);
}

TEST_CASE("JSON numbers: microseconds become picoseconds by digits") {
  CHECK(Micros("0") == 0);
  CHECK(Micros("7") == 7'000'000);
  CHECK(Micros("123.456") == 123'456'000);
  CHECK(Micros("0.000001") == 1);
  CHECK(Micros("-2.5") == -2'500'000);
  CHECK(Micros("\"12.5\"") == 12'500'000);
  // A double would lose the last digits of these.
  CHECK(Micros("4404423210930.779001") == 4'404'423'210'930'779'001);
  // The text that "%.17g" makes of 6.49 and of 1e-6.
  CHECK(Micros("6.4900000000000002") == 6'490'000);
  CHECK(Micros("9.9999999999999995e-07") == 1);
  CHECK(Micros("123.4519999999999982") == 123'452'000);
}

TEST_CASE("JSON numbers: exponents, rounding and ranges") {
  CHECK(Micros("1e3") == 1'000'000'000);
  CHECK(Micros("1.5E+2") == 150'000'000);
  CHECK(Micros("15e-1") == 1'500'000);
  CHECK(Micros("0.0000005") == 1);
  CHECK(Micros("0.00000049") == 0);
  CHECK(Micros("-0.0000005") == -1);
  CHECK(Micros("1e-400") == 0);
  CHECK(Micros("0e999999999999") == 0);
  CHECK(Micros("00000000000000000000000000000000000000000001") == 1'000'000);
  CHECK((*ParseMicros("1661203462598738") == Int128{1'661'203'462'598'738} * 1'000'000));
  for (const char* bad :
       {"", "-", ".", "NaN", "Infinity", "-Infinity", "null", "1e", "1e+", "1.2.3", "12x", "1e40",
        "999999999999999999999999999999999999", "\"\"", "[1]"}) {
    CAPTURE(bad);
    CHECK(!ParseMicros(bad).has_value());
  }
}

TEST_CASE("JSON numbers: any length of digits, with and without a point") {
  const std::string digits = "918273645506172839";
  for (size_t n = 1; n <= digits.size(); ++n) {
    const std::string whole = digits.substr(0, n);
    CAPTURE(whole);
    CHECK((*ParseMicros(whole) == Int128{std::stoll(whole)} * 1'000'000));
    for (size_t point = 1; point < n && n - point <= 6; ++point) {
      Int128 expected = std::stoll(whole);
      for (size_t i = n - point; i < 6; ++i) expected *= 10;
      CHECK((*ParseMicros(whole.substr(0, point) + "." + whole.substr(point)) == expected));
    }
  }
  // A character that is not a digit, at each place.
  for (size_t n : {8u, 9u, 16u, 17u}) {
    for (size_t i = 0; i < n; ++i) {
      for (const char c : std::string("/: Ix\xb5")) {
        std::string text = digits.substr(0, n);
        text[i] = c;
        CAPTURE(text);
        CHECK(!ParseMicros(text).has_value());
      }
    }
  }
}

TEST_CASE("JSON numbers: integers and reals") {
  CHECK(ParseInt("42") == 42);
  CHECK(ParseInt("\"-7\"") == -7);
  CHECK(ParseInt("5.0") == 5);
  CHECK(ParseInt("2e3") == 2000);
  CHECK(ParseInt("9223372036854775807") == INT64_MAX);
  CHECK(!ParseInt("9223372036854775808").has_value());
  CHECK(!ParseInt("1.5").has_value());
  CHECK(!ParseInt("abc").has_value());
  CHECK(ParseReal("2.5") == 2.5);
  CHECK(ParseReal("\"1e3\"") == 1000.0);
  CHECK(ParseReal("1e-999") == 0.0);
  CHECK(std::isinf(*ParseReal("1e999")));
  CHECK(std::isnan(*ParseReal("NaN")));
  CHECK(!ParseReal("one").has_value());
}

}  // namespace
}  // namespace stepscope::json
