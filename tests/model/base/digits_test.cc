#include "model/base/digits.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

namespace stepscope {
namespace {

// With plain spaces, which a test can show.
std::string Grouped(std::string_view number) {
  std::string text = GroupDigits(number);
  for (size_t at = text.find("\u2009"); at != std::string::npos; at = text.find("\u2009"))
    text.replace(at, 3, " ");
  return text;
}

TEST_CASE("digits: groups of three before the point") {
  CHECK(Grouped("") == "");
  CHECK(Grouped("0") == "0");
  CHECK(Grouped("999") == "999");
  CHECK(Grouped("1000") == "1 000");
  CHECK(Grouped("123456") == "123 456");
  CHECK(Grouped("4761900.25") == "4 761 900.25");
  CHECK(Grouped("12345.678901") == "12 345.678901");
  CHECK(Grouped("0.123456") == "0.123456");
}

TEST_CASE("digits: a share has one decimal below 10 %, or as many as its place has") {
  CHECK(PercentText(0) == "0.0 %");
  CHECK(PercentText(3.44) == "3.4 %");
  CHECK(PercentText(12.4) == "12 %");
  CHECK(PercentText(12.44, 1) == "12.4 %");
  CHECK(PercentText(-1250.04, 1) == "-1\u2009250.0 %");
  CHECK(PercentText(std::numeric_limits<double>::quiet_NaN(), 1) == "\u2013");
  CHECK(PercentText(std::numeric_limits<double>::infinity()) == "\u2013");
}

TEST_CASE("digits: a sign is no digit") {
  CHECK(Grouped("-999") == "-999");
  CHECK(Grouped("-1000") == "-1 000");
  CHECK(Grouped("-123456.5") == "-123 456.5");
}

TEST_CASE("digits: whole numbers, to the largest") {
  CHECK(GroupDigits(uint64_t{999}) == "999");
  CHECK(GroupDigits(uint64_t{1000}) == "1\u2009000");
  CHECK(Grouped(std::to_string(UINT64_MAX)) == "18 446 744 073 709 551 615");
}

TEST_CASE("digits: a name without its numbers, which tell only its copies apart") {
  CHECK(WithoutNumbers("fused_add_12") == "fused_add_#");
  CHECK(WithoutNumbers("12x3") == "#x#");
  CHECK(WithoutNumbers("step #12") == "step #");
  CHECK(WithoutNumbers("") == "");
}

}  // namespace
namespace {

TEST_CASE("sizes have the unit that keeps their number below a thousand") {
  CHECK(BytesText(0) == "0 B");
  CHECK(BytesText(5) == "5 B");
  CHECK(BytesText(999) == "999 B");
  CHECK(BytesText(1000) == "1.0 kB");
  CHECK(BytesText(2000) == "2.0 kB");
  CHECK(BytesText(999'949) == "999.9 kB");
  CHECK(BytesText(999'950) == "1.0 MB");
  CHECK(BytesText(12'340'000) == "12.3 MB");
  CHECK(BytesText(999'999'999) == "1.00 GB");
  CHECK(BytesText(2'500'000'000) == "2.50 GB");
  CHECK(BytesText(UINT64_MAX) == "18446744073.71 GB");
}

}  // namespace
namespace {

TEST_CASE("counted: one thing has no s, none and several have") {
  CHECK(Counted(1, "events") == "1 event");
  CHECK(Counted(0, "events") == "0 events");
  CHECK(Counted(2, "counter samples") == "2 counter samples");
  CHECK(Counted(1, "counter samples") == "1 counter sample");
  CHECK(NounFor(1, "events") == "event");
  CHECK(NounFor(2, "events") == "events");
  CHECK(Counted(12345, "rows") == "12\u2009345 rows");
}

}  // namespace
}  // namespace stepscope

using namespace stepscope;  // NOLINT

TEST_CASE("natural order: numbers go by their values, all else by its bytes") {
  std::vector<std::string> names = {"Stream #14", "b",  "Stream #7",   "Stream #7 copy", "",
                                    "a10b2",      "a9", "Stream #007", "a10b11",         "10"};
  std::stable_sort(names.begin(), names.end(), NaturalLess);
  CHECK(names == std::vector<std::string>{"", "10", "Stream #7", "Stream #007", "Stream #7 copy",
                                          "Stream #14", "a9", "a10b2", "a10b11", "b"});
  // Numbers larger than any integer type.
  CHECK(NaturalLess("x99999999999999999999998", "x99999999999999999999999"));
  CHECK_FALSE(NaturalLess("x7", "x7"));
  CHECK(NaturalLess("z", "\xC3\xA4"));
}
