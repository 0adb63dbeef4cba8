#include "app/commands/command_options.h"
#include "tests/app/commands/parse.h"

namespace stepscope {
namespace {

TEST_CASE("check: takes limits in percent, or in the unit of what is compared") {
  const ParsedCommandLine parsed =
      Parse({"check", "a", "b", "--max-step-regression", "3%", "--max", "memory.x+5%", "--max",
             "overview.device_busy_percent+0.5", "--max-memory-regression", "1e6"});
  const CheckOptions& options = OptionsOf<CheckOptions>(parsed);
  REQUIRE(options.max_step_regression);
  CHECK(options.max_step_regression->amount == 3);
  CHECK(options.max_step_regression->percent);
  REQUIRE(options.max_memory_regression);
  CHECK(options.max_memory_regression->amount == 1e6);
  CHECK_FALSE(options.max_memory_regression->percent);
  REQUIRE(options.limits.size() == 2);
  CHECK(options.limits[0].panel == "memory");
  CHECK(options.limits[0].property == "x");
  CHECK(options.limits[1].property == "device_busy_percent");
  CHECK(options.limits[1].allowed.amount == 0.5);
}

TEST_CASE("check: paths may follow a limit and a rule") {
  CHECK(Parse({"check", "--max", "memory.x+5%", "a", "b"}).input.paths.size() == 2);
  const ParsedCommandLine forbid = Parse({"check", "--forbid", "copies", "a", "b"});
  CHECK(OptionsOf<CheckOptions>(forbid).forbidden.size() == 1);
  CHECK(forbid.input.paths.size() == 2);
}

TEST_CASE("check: needs two paths, a limit, and rules that there are") {
  CheckUsageError({"check", "a", "b", "--forbid", "nonsense"}, "no rule");
  CheckUsageError({"check", "a", "b"}, "--max-step-regression");
  CheckUsageError({"check", "a", "--max-step-regression", "3%"}, "1 were given");
}

TEST_CASE(
    "check: an allowance is a number that is finite and not negative, with or without percent") {
  CHECK(ParseAllowance("3%")->percent);
  CHECK(ParseAllowance("0.5")->amount == 0.5);
  for (const char* bad : {"", "%", "x", "-1%", "3 %", "nan", "inf", "3%%"})
    CHECK_FALSE(ParseAllowance(bad).has_value());
}

TEST_CASE("check: a limit has a panel, a property and an allowance") {
  CHECK(ParseLimit("memory.x+5%")->property == "x");
  for (const char* bad : {"", "a", "a.b", "a+3%", ".b+3%", "a.+3%", "a.b+", "a.b+x"})
    CHECK_FALSE(ParseLimit(bad).has_value());
}

}  // namespace
}  // namespace stepscope
