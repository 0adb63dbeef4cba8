
#include "app/commands/command_options.h"
#include "tests/app/commands/parse.h"

namespace stepscope {
namespace {

TEST_CASE("info: reads its options") {
  const ParsedCommandLine info = Parse({"info", "dir", "--json", "--host", "a"});
  CHECK(OptionsOf<InfoOptions>(info).json);
  CHECK(OptionsOf<InfoOptions>(info).host == "a");
  CHECK(info.input.paths == std::vector<std::string>{"dir"});
}

TEST_CASE("info: takes one path") {
  CheckUsageError({"info"}, "PATH");
  CheckUsageError({"info", "a", "b"}, "2 were given");
  CheckUsageError({"info", "a", "--sample"}, "--sample");
}

}  // namespace
}  // namespace stepscope
