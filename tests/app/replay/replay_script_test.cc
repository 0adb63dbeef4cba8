#include "app/replay/replay_script.h"

#include <doctest/doctest.h>

namespace stepscope {
namespace {

TEST_CASE("replay: reads commands of the table with their arguments") {
  const std::string id = "view.scroll";
  const auto steps =
      ParseReplay("# a comment\n\n  " + id +
                  " text=\"two \\\"words\\\"\" number=-1.5 range=1ms..2ms run=3 # end\r\n"
                  "wait_idle\nscreenshot \"my shot.png\"");
  REQUIRE(steps.ok());
  REQUIRE(steps->size() == 3);
  const ReplayStep& first = (*steps)[0];
  CHECK(first.line == 3);
  const Command& command = std::get<Command>(first.action);
  CHECK(command.id == id);
  CHECK(command.args.text == "two \"words\"");
  CHECK(command.args.pixels == -1.5);
  CHECK(command.args.range == TimeRange{kPsPerMs, 2 * kPsPerMs});
  CHECK(command.args.profile == ProfileId(3));
  CHECK(std::get<WaitIdle>((*steps)[1].action).seconds == 120);
  CHECK(std::get<Screenshot>((*steps)[2].action).path == "my shot.png");
}

TEST_CASE("replay: track.place takes the path of each track") {
  const auto steps =
      ParseReplay("track.place paths=\"host|GPU 1\" paths=\"host|GPU 0|Stream, main#7\"");
  REQUIRE(steps.ok());
  const CommandArgs& args = std::get<Command>(steps->front().action).args;
  CHECK(args.paths == std::vector<std::string>{"host|GPU 1", "host|GPU 0|Stream, main#7"});
}

TEST_CASE("replay: reads mouse, keyboard, sizes and rest") {
  const auto steps = ParseReplay(
      "mouse 10 20.5\nmouse_down left\nwheel -2\nkey Ctrl+Z\nhold Ctrl+Shift\ntype \"a b\"\n"
      "resize 800x600\nrest 1.5");
  REQUIRE(steps.ok());
  REQUIRE(steps->size() == 8);
  const auto input = [&](size_t i) { return std::get<ReplayInput>((*steps)[i].action); };
  CHECK(input(0).kind == ReplayInput::Kind::kMouse);
  CHECK(input(0).x == 10);
  CHECK(input(0).y == 20.5f);
  CHECK(input(1).kind == ReplayInput::Kind::kDown);
  CHECK(input(2).y == -2);
  bool ok = false;
  CHECK(input(3).chord == ParseChords("Ctrl+Z", &ok).front());
  CHECK(input(4).modifiers != 0);
  CHECK(input(5).text == "a b");
  CHECK(std::get<Resize>((*steps)[6].action).size == PixelSize{800, 600});
  CHECK(std::get<Rest>((*steps)[7].action).seconds == 1.5);
}

TEST_CASE("replay: mistakes name their line") {
  const std::string id = Commands().front().id.text();
  const std::string bad_lines[] = {
      "no.such.command",  id + " nokey",   id + " number=x", id + " range=5",
      id + " colour=red", "wait_idle now", "wait_idle 0",    "wait_idle 1 2",
      id + " run=-1",     id + " run=2x",  "screenshot",     id + " text=\"open",
      "mouse 1",          "mouse 1 x",     "mouse_down up",  "wheel",
      "key Ctrl",         "key F13",       "hold Meta",      "type",
      "resize 10x10",     "rest",          "rest -1"};
  for (const std::string& bad : bad_lines) {
    CAPTURE(bad);
    const auto steps = ParseReplay("wait_idle\n" + bad + "\n");
    REQUIRE_FALSE(steps.ok());
    CHECK(steps.status().code() == ErrorCode::kUsage);
    CHECK(steps.status().message().find("line 2: ") == 0);
  }
}

}  // namespace
}  // namespace stepscope
