// Chords typed within one frame.
#include "viewer/core/commands/keys.h"

#include <doctest/doctest.h>
#include <imgui.h>

#include "tests/viewer/viewer_fixture.h"

namespace stepscope {
namespace {

// How many of the four frames after the events saw the chord.
int TimesPressed(const char* keys) {
  bool ok = false;
  const auto chords = ParseChords(keys, &ok);
  REQUIRE(ok);
  int times = 0;
  for (int frame = 0; frame < 4; ++frame) {
    NewFrameKeepingChords();
    times += Pressed(chords[0]) ? 1 : 0;
    ImGui::EndFrame();
  }
  return times;
}

void Key(ImGuiKey key, bool down) { ImGui::GetIO().AddKeyEvent(key, down); }
void Ctrl(bool down) {
  Key(ImGuiMod_Ctrl, down);
  Key(ImGuiKey_LeftCtrl, down);
}

TEST_CASE("a chord typed between two frames is seen once, whichever key is let go first") {
  test::ViewerFixture fixture;
  Ctrl(true);
  Key(ImGuiKey_Q, true);
  Ctrl(false);
  Key(ImGuiKey_Q, false);
  CHECK(TimesPressed("Ctrl+Q") == 1);
  Ctrl(true);
  Key(ImGuiKey_Q, true);
  Key(ImGuiKey_Q, false);
  Ctrl(false);
  CHECK(TimesPressed("Ctrl+Q") == 1);
  CHECK_FALSE(ImGui::GetIO().KeyCtrl);
}

TEST_CASE("a modifier pressed after the key makes no chord") {
  test::ViewerFixture fixture;
  Key(ImGuiKey_Q, true);
  Ctrl(true);
  Key(ImGuiKey_Q, false);
  Ctrl(false);
  CHECK(TimesPressed("Ctrl+Q") == 0);
}

}  // namespace
}  // namespace stepscope
