
#include "app/commands/open_command.h"
#include "tests/app/commands/parse.h"
#include "tests/support/source_paths.h"

namespace stepscope {
namespace {

TEST_CASE("open: without a command the window opens what is given") {
  const ParsedCommandLine none = Parse({});
  CHECK(none.command != nullptr);
  CHECK(none.input.paths.empty());
  const ParsedCommandLine two = Parse({"a.pb", "b.pb", "--compare"});
  CHECK(two.command != nullptr);
  CHECK(two.input.compare);
  CHECK(two.input.paths == std::vector<std::string>{"a.pb", "b.pb"});
  CHECK(Parse({"--sample"}).input.sample);
}

TEST_CASE("open: refuses one path to compare, a path beside the sample, and a broken view") {
  CheckUsageError({"a", "--compare"}, "two paths");
  CheckUsageError({"a", "--sample"}, "takes no PATH");
  CheckUsageError({"a", "--view", "x"}, "this is no view");
}

TEST_CASE("open: a file that is called like a command is written with its folder") {
  CHECK(Parse({"./compare"}).input.paths == std::vector<std::string>{"./compare"});
}

TEST_CASE("open: a word that is no path may be a mistyped command") {
  CHECK(CheckPaths({}).ok());
  CHECK(CheckPaths({test::SourcePath("")}).ok());
  const Status word = CheckPaths({test::SourcePath(""), "reprot"});
  CHECK(word.code() == ErrorCode::kUsage);
  CHECK(word.message() ==
        "reprot: neither a file nor a command; commands are info, report, events, sql, export, "
        "compare, check, capture, screenshot, replay, bench, serve and mcp (see stepscope --help)");
  CHECK(CheckPaths({"./no/such.json"}).code() == ErrorCode::kIo);
  CHECK(CheckPaths({"nosuch.xplane.pb"}).code() == ErrorCode::kIo);
}

}  // namespace
}  // namespace stepscope
