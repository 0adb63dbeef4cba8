#include <doctest/doctest.h>

#include "app/commands/allowance.h"

namespace stepscope {
namespace {

TEST_CASE("allowance: a number that is finite and not negative, with or without percent") {
  CHECK(ParseAllowance("3%")->percent);
  CHECK(ParseAllowance("0.5")->amount == 0.5);
  for (const char* bad : {"", "%", "x", "-1%", "3 %", "nan", "inf", "3%%"})
    CHECK_FALSE(ParseAllowance(bad).has_value());
}

TEST_CASE("allowance: a limit has a panel, a property and an allowance") {
  CHECK(ParseLimit("memory.x+5%")->property == "x");
  for (const char* bad : {"", "a", "a.b", "a+3%", ".b+3%", "a.+3%", "a.b+", "a.b+x"})
    CHECK_FALSE(ParseLimit(bad).has_value());
}

}  // namespace
}  // namespace stepscope
