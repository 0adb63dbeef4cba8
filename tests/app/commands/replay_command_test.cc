
#include "app/commands/command_options.h"
#include "tests/app/commands/parse.h"

namespace stepscope {
namespace {

TEST_CASE("replay: reads its options") {
  const ParsedCommandLine parsed = Parse({"replay", "cmds.txt", "dir", "-o", "x.png"});
  CHECK(OptionsOf<ReplayOptions>(parsed).commands_file == "cmds.txt");
  CHECK(OptionsOf<ReplayOptions>(parsed).output == "x.png");
  CHECK(parsed.input.paths == std::vector<std::string>{"dir"});
}

TEST_CASE("replay: takes no picture where no pixels are drawn") {
  CHECK(OptionsOf<ReplayOptions>(Parse({"replay", "cmds.txt", "--no-pixels"})).no_pixels);
  CHECK(Parse({"replay", "cmds.txt", "--no-pixels", "-o", "x.png"}).command == nullptr);
}

}  // namespace
}  // namespace stepscope
