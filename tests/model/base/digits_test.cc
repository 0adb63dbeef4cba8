#include "model/base/digits.h"

#include <doctest/doctest.h>

#include <string>

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
}  // namespace stepscope
