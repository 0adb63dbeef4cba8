// Menus and the search box by keyboard: what Escape, the arrow keys and Enter do in them.
#include <doctest/doctest.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <string>

#include "tests/viewer/drawn_text.h"
#include "tests/viewer/viewer_fixture.h"
#include "viewer/shell/shell.h"

namespace stepscope {
namespace {

using test::TrainingTrace;
using test::ViewerFixture;

constexpr float kBar = 19;  // the middle of the menu bar

int OpenPopups() { return ImGui::GetCurrentContext()->OpenPopupStack.Size; }
std::string Focused() {
  const ImGuiWindow* window = ImGui::GetCurrentContext()->NavWindow;
  return window != nullptr ? window->RootWindow->Name : "";
}
void SearchFor(ViewerFixture& f, const std::string& text) {
  f.Type("/");
  f.Frame(3);
  f.Type(text);
  for (int i = 0; i < 2000 && f.viewer->animating(); ++i) f.Frame();
}

TEST_CASE("menus: Escape closes an open menu and nothing else") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  f.viewer->SelectByName("sgemm");
  f.Frame(3);
  REQUIRE(f.viewer->view().selected.valid());
  f.Click(53, kBar);
  REQUIRE(OpenPopups() == 1);
  f.Key(ImGuiKey_Escape);
  CHECK(OpenPopups() == 0);
  CHECK(f.viewer->view().selected.valid());
  f.Key(ImGuiKey_Escape);
  CHECK_FALSE(f.viewer->view().selected.valid());
}

TEST_CASE("menus: commands of ranks are listed only where there are ranks") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  f.Click(DrawnText().At("View").middle().x, kBar);
  f.Frame(3);
  REQUIRE(OpenPopups() == 1);
  const DrawnText text;
  CAPTURE(text.All());
  CHECK(text.Has("Fold all"));
  CHECK_FALSE(text.Has("Align clocks of ranks"));
  CHECK_FALSE(text.Has("Ranks under each other"));
  CHECK_FALSE(text.Has("Ranks in one lane"));
}

TEST_CASE("menus: the arrow keys move in an open menu, not in the timeline") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  f.Key(ImGuiKey_W);
  const TimeRange before = f.visible();
  f.Click(53, kBar);
  f.Key(ImGuiKey_DownArrow);
  const std::string menu = Focused();
  f.MoveTo(900, 400);  // not over the bar, which would open what is under the mouse
  f.Key(ImGuiKey_RightArrow);
  CHECK(OpenPopups() == 1);
  CHECK(ImGui::GetCurrentContext()->OpenPopupStack[0].Window != nullptr);
  f.Key(ImGuiKey_LeftArrow);
  CHECK(OpenPopups() == 1);
  CHECK(Focused() == menu);
  CHECK(f.visible() == before);
  f.Key(ImGuiKey_DownArrow);
  f.Key(ImGuiKey_Enter);  // "Open file"
  f.Frame(3);
  const ImGuiWindow* dialog = ImGui::FindWindowByName("###open_dialog");
  REQUIRE(dialog != nullptr);
  CHECK(bool{dialog->Active});
  f.Key(ImGuiKey_Escape);
  f.Key(ImGuiKey_RightArrow);
  CHECK(f.visible() != before);  // the timeline has them again
}

TEST_CASE("menus: the arrow keys go to the next menu before an entry is chosen") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  f.Click(53, kBar);
  f.Frame(2);
  const auto menu = [] { return ImGui::GetCurrentContext()->OpenPopupStack[0].PopupId; };
  REQUIRE(OpenPopups() == 1);
  const ImGuiID first = menu();
  f.MoveTo(900, 400);
  f.Key(ImGuiKey_RightArrow);
  f.Frame(2);
  REQUIRE(OpenPopups() == 1);
  CHECK(menu() != first);
  f.Key(ImGuiKey_LeftArrow);
  f.Frame(2);
  REQUIRE(OpenPopups() == 1);
  CHECK(menu() == first);
}

// The menu of the bar that is open; 0: none is.
ImGuiID OpenMenu() {
  const auto& open = ImGui::GetCurrentContext()->OpenPopupStack;
  return open.empty() ? 0 : open[0].PopupId;
}
void TapAlt(ViewerFixture& f) {
  ImGuiIO& io = ImGui::GetIO();
  for (const bool down : {true, false}) {
    io.AddKeyEvent(ImGuiKey_LeftAlt, down);
    io.AddKeyEvent(ImGuiMod_Alt, down);
    f.Frame();
  }
  f.Frame(3);
}

TEST_CASE("menus: F10 and Alt open the menu bar, and close it again") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  const TimeRange before = f.visible();
  f.Key(ImGuiKey_F10);
  f.Frame(2);
  REQUIRE(OpenPopups() == 1);
  const ImGuiID first = OpenMenu();
  f.Key(ImGuiKey_F10);
  f.Frame(2);
  CHECK(OpenPopups() == 0);
  TapAlt(f);
  REQUIRE(OpenPopups() == 1);
  CHECK(OpenMenu() == first);
  TapAlt(f);
  CHECK(OpenPopups() == 0);
  // Enter takes the entry that is chosen from the beginning: "Open file".
  TapAlt(f);
  f.Key(ImGuiKey_Enter);
  f.Frame(3);
  const ImGuiWindow* dialog = ImGui::FindWindowByName("###open_dialog");
  REQUIRE(dialog != nullptr);
  CHECK(bool{dialog->Active});
  CHECK(f.visible() == before);
}

TEST_CASE("menus: Alt with a key, a click or a box of text opens none") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  ImGuiIO& io = ImGui::GetIO();
  const auto alt = [&](bool down) {
    io.AddKeyEvent(ImGuiMod_Alt, down);
    io.AddKeyEvent(ImGuiKey_LeftAlt, down);
    f.Frame();
  };
  alt(true);
  f.Key(ImGuiKey_3);  // Alt+3 shows a panel
  alt(false);
  CHECK(OpenPopups() == 0);
  alt(true);
  f.Click(900, 300);
  alt(false);
  CHECK(OpenPopups() == 0);
  f.Type("/");
  f.Frame(3);
  REQUIRE(io.WantTextInput);
  alt(true);
  alt(false);
  CHECK(OpenPopups() == 0);
}

TEST_CASE("menus: Right in a submenu goes to the next menu, Left back to its own") {
  ViewerFixture f;
  f.session.recent = {{"/tmp/one.pb"}, {"/tmp/two.pb"}};
  f.Open(TrainingTrace());
  f.Key(ImGuiKey_F10);
  f.Frame(2);
  const ImGuiID file = OpenMenu();
  for (int i = 0; i < 30 && OpenPopups() < 2 && OpenMenu() == file; ++i) {
    f.Key(ImGuiKey_DownArrow);
    const ImGuiContext& g = *ImGui::GetCurrentContext();
    if (g.NavId == g.NavWindow->GetID("Recent")) f.Key(ImGuiKey_RightArrow);
  }
  REQUIRE(OpenPopups() == 2);
  f.Key(ImGuiKey_LeftArrow);
  CHECK(OpenPopups() == 1);
  CHECK(OpenMenu() == file);
  f.Key(ImGuiKey_RightArrow);
  REQUIRE(OpenPopups() == 2);
  f.Key(ImGuiKey_RightArrow);
  f.Frame(2);
  REQUIRE(OpenPopups() == 1);
  CHECK(OpenMenu() != file);
  f.Key(ImGuiKey_LeftArrow);
  f.Frame(2);
  CHECK(OpenMenu() == file);
}

TEST_CASE("Escape closes help and settings before anything else") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  f.viewer->SelectByName("sgemm");
  for (const CommandId window : {CommandId("app.help"), CommandId("app.settings")}) {
    f.Push(window);
    f.Frame(3);
    f.Key(ImGuiKey_Escape);
    CHECK(f.viewer->view().selected.valid());
  }
  for (const char* name : {"Keys and commands###help", "Settings###settings"})
    CHECK_FALSE(bool{ImGui::FindWindowByName(name)->Active});
}

TEST_CASE("search box: after Enter the timeline has the keyboard") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  const TimeRange before = f.visible();
  SearchFor(f, "MemcpyH2D");
  CHECK(ImGui::GetIO().WantTextInput);
  f.Key(ImGuiKey_Enter);
  f.Frame(3);
  CHECK_FALSE(ImGui::GetIO().WantTextInput);
  CHECK(Focused() == kTimelineWindow);
  const EventRef first = f.viewer->view().selected;
  REQUIRE(first.valid());
  f.Key(ImGuiKey_Enter);  // goes on
  CHECK(f.viewer->view().selected != first);
  f.Key(ImGuiKey_W);
  CHECK(f.visible().length() < before.length());
}

TEST_CASE("search box: Escape gives the keyboard back and keeps the search") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  SearchFor(f, "MemcpyH2D");
  f.Key(ImGuiKey_Escape);
  f.Frame(2);
  CHECK_FALSE(ImGui::GetIO().WantTextInput);
  CHECK(Focused() == kTimelineWindow);
  f.Key(ImGuiKey_F3);
  CHECK(f.viewer->view().selected.valid());
}

TEST_CASE("search box: > opens the palette with the rest of the text") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  f.Type("/");
  f.Frame(3);
  f.Type(">timing tool");
  f.Frame(4);
  f.Key(ImGuiKey_Enter);
  CHECK(f.viewer->view().tool == Tool::kTiming);
}

TEST_CASE("keys typed right after / and > are not lost and call no commands") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  const TimeRange before = f.visible();
  for (const char* letter : {"/", "s", "g", "e"}) {  // a frame each
    ImGui::GetIO().AddInputCharacter(static_cast<unsigned char>(letter[0]));
    f.Frame();
  }
  f.Frame(3);
  CHECK(f.visible() == before);
  f.Type("mm");
  const ImGuiInputTextState& state = ImGui::GetCurrentContext()->InputTextState;
  CHECK(std::string(state.TextSrc) == "sgemm");
  f.Key(ImGuiKey_Escape);
  f.Type(">timing tool");
  f.Frame(3);
  f.Key(ImGuiKey_Enter);
  CHECK(f.viewer->view().tool == Tool::kTiming);
}

}  // namespace
}  // namespace stepscope
