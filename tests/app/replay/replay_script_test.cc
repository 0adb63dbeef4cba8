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
  CHECK(first.command.id == id);
  CHECK(first.command.args.text == "two \"words\"");
  CHECK(first.command.args.pixels == -1.5);
  CHECK(first.command.args.range == TimeRange{kPsPerMs, 2 * kPsPerMs});
  CHECK(first.command.args.profile == ProfileId(3));
  CHECK((*steps)[1].kind == ReplayStep::Kind::kWaitIdle);
  CHECK((*steps)[2].kind == ReplayStep::Kind::kScreenshot);
  CHECK((*steps)[2].path == "my shot.png");
}

TEST_CASE("replay: track.place takes the path of each track") {
  const auto steps =
      ParseReplay("track.place paths=\"host|GPU 1\" paths=\"host|GPU 0|Stream, main#7\"");
  REQUIRE(steps.ok());
  const CommandArgs& args = steps->front().command.args;
  CHECK(args.paths == std::vector<std::string>{"host|GPU 1", "host|GPU 0|Stream, main#7"});
}

TEST_CASE("replay: reads mouse, keyboard, sizes and rest") {
  const auto steps = ParseReplay(
      "mouse 10 20.5\nmouse_down left\nwheel -2\nkey Ctrl+Z\nhold Ctrl+Shift\ntype \"a b\"\n"
      "resize 800x600\nrest 1.5");
  REQUIRE(steps.ok());
  REQUIRE(steps->size() == 8);
  const auto& s = *steps;
  CHECK(s[0].kind == ReplayStep::Kind::kInput);
  CHECK(s[0].input.kind == ReplayInput::Kind::kMouse);
  CHECK(s[0].input.x == 10);
  CHECK(s[0].input.y == 20.5f);
  CHECK(s[1].input.kind == ReplayInput::Kind::kDown);
  CHECK(s[2].input.y == -2);
  bool ok = false;
  CHECK(s[3].input.chord == ParseChords("Ctrl+Z", &ok).front());
  CHECK(s[4].input.modifiers != 0);
  CHECK(s[5].input.text == "a b");
  CHECK(s[6].kind == ReplayStep::Kind::kResize);
  CHECK(s[6].size == PixelSize{800, 600});
  CHECK(s[7].kind == ReplayStep::Kind::kRest);
  CHECK(s[7].seconds == 1.5);
}

TEST_CASE("replay: mistakes name their line") {
  const std::string id = Commands().front().id;
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
