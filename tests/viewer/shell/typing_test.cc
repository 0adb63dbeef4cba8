// No key is lost in a text field, however fast a person types and whatever runs meanwhile. Frames
// are drawn as the window draws them: a few after input, and while the viewer asks for more.
#include <doctest/doctest.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "tests/support/hlo_trace.h"
#include "tests/viewer/drawn_text.h"
#include "tests/viewer/open_trace.h"
#include "tests/viewer/viewer_fixture.h"

using namespace stepscope;        // NOLINT
using namespace stepscope::test;  // NOLINT
namespace fs = std::filesystem;

namespace {

constexpr int kFramesAfterInput = 4;  // as app/window/surface.h

// A key as an X server reports it: with Shift for capitals and underscores.
void AddKey(char c) {
  ImGuiIO& io = ImGui::GetIO();
  const bool shift = (c >= 'A' && c <= 'Z') || c == '_' || c == '>';
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  const ImGuiKey key = letter     ? static_cast<ImGuiKey>(ImGuiKey_A + ((c | 32) - 'a'))
                       : c == '/' ? ImGuiKey_Slash
                       : c == ' ' ? ImGuiKey_Space
                                  : ImGuiKey_Minus;
  if (shift) io.AddKeyEvent(ImGuiMod_Shift, true);
  io.AddKeyEvent(key, true);
  io.AddInputCharacter(static_cast<unsigned char>(c));
  io.AddKeyEvent(key, false);
  if (shift) io.AddKeyEvent(ImGuiMod_Shift, false);
}

// Draws the frames that the window draws after input.
void DrawAsTheWindow(ViewerFixture& f) {
  for (int i = 0; i < kFramesAfterInput; ++i) f.Frame();
  while (f.viewer->moving()) f.Frame();
}

// Types `keys` keys during each frame: at 5 ms a key, 4 make a frame of 20 ms.
void TypeFast(ViewerFixture& f, const std::string& text, size_t keys) {
  for (size_t i = 0; i < text.size(); i += keys) {
    for (const char c : text.substr(i, keys)) AddKey(c);
    f.Frame();
  }
  DrawAsTheWindow(f);
}

// The text of the field that has the keyboard.
std::string TextOfField() {
  const ImGuiInputTextState* state = ImGui::GetInputTextState(ImGui::GetActiveID());
  return state != nullptr ? std::string(state->TextA.Data, static_cast<size_t>(state->TextLen))
                          : std::string();
}

void WaitForListing(ViewerFixture& f) {
  for (int i = 0; i < 200; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    f.Frame();
  }
}

constexpr const char* kText = "AtEn_AddMm__to AAbb//CC_dd eeFFggHH_iiJJkkLL_mm";

}  // namespace

TEST_CASE("typing: no key is lost in the search box and in the palette") {
  for (const size_t keys : {1, 2, 4, 7, 100}) {
    CAPTURE(keys);
    for (const CommandId command : {CommandId("search.focus"), CommandId("app.palette")}) {
      CAPTURE(command.text());
      ViewerFixture f;
      f.Open(TrainingTrace());
      f.Push(command);
      TypeFast(f, kText, keys);
      CHECK(TextOfField() == kText);
      CHECK_FALSE(f.viewer->moving());
    }
  }
}

TEST_CASE("typing: a search that is typed fast finds what it says") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  AddKey('/');
  TypeFast(f, "MemcpyH2D", 4);
  f.WaitIdle();
  f.Key(ImGuiKey_Enter);
  const TrackSet& set = f.session.profiles[0].trace->set;
  REQUIRE(f.viewer->view().selected.valid());
  CHECK(set.Name(f.viewer->view().selected.row) == "MemcpyH2D");
}

TEST_CASE("typing: no key is lost in the file dialog, while folders are listed too") {
  const fs::path root = fs::temp_directory_path() / "stepscope_typing_test";
  fs::create_directories(root / "In_Ner" / "Deeper");
  for (const size_t keys : {1, 4, 100}) {
    CAPTURE(keys);
    ViewerFixture f({1280, 800}, "dialog.folder = " + root.string() + "\n");
    f.Open(TrainingTrace());
    f.Push("file.open");
    TypeFast(f, "In_Ner/Dee", keys);  // begins before the first folder is listed
    WaitForListing(f);
    CHECK(TextOfField() == root.string() + "/In_Ner/Dee");
    // Enter goes into the folder; what is typed meanwhile goes behind its path.
    ImGui::GetIO().AddKeyEvent(ImGuiKey_Enter, true);
    ImGui::GetIO().AddKeyEvent(ImGuiKey_Enter, false);
    TypeFast(f, "Some_Name", keys);
    WaitForListing(f);
    CHECK(TextOfField() == root.string() + "/In_Ner/Deeper/Some_Name");
  }
  fs::remove_all(root);
}

namespace {

// A field of text: the panel or window that it is in, and how what it says while empty begins.
struct Field {
  CommandId command;
  const char* argument;
  const char* hint;
};

constexpr Field kFields[] = {
    {"app.help", "", "Find a command or a key"},
    {"panel.show", "markers", "name it"},
    {"panel.show", "hlo_stats", "Filter: MatMul"},
    {"panel.show", "hlo_profile", "Filter: fusion"},
    {"panel.show", "hlo_graph", "Go to instruction"},
    {"panel.show", "hlo_graph/text/7/add.1", "Find in the text"},
    {"panel.show", "selection/stacks", "Find frames"},
};

void OpenWithAnalyses(ViewerFixture& f, std::shared_ptr<const Trace> trace) {
  f.Open(trace);
  f.session.profiles[0] = ProfileOf(f.session.profiles[0].id, std::move(trace));
  ++f.session.generation;
  f.Frame(2);
  f.WaitIdle();
}

// The field's hint as it is drawn, once the panel has its contents.
ImVec2 PlaceOf(ViewerFixture& f, const Field& field) {
  for (int i = 0; i < 200; ++i) {
    f.Frame();
    f.WaitIdle();
    const DrawnText text;
    for (const TextPiece& piece : text.pieces())
      if (piece.text.starts_with(field.hint)) return piece.middle();
  }
  FAIL("there is no field " << field.hint << " in:\n" << DrawnText().All());
  return {};
}

}  // namespace

TEST_CASE("typing: no key is lost in any field of a panel or window, while jobs run") {
  for (const Field& field : kFields) {
    CAPTURE(std::string(field.hint));
    ViewerFixture f;
    const bool stacks = std::string_view(field.argument).starts_with("selection");
    OpenWithAnalyses(f, stacks ? TrainingTrace() : test::HloTrace());
    f.Push("mark.add", {.range = {0, kPsPerUs}});
    f.Push("view.tall_panels");
    f.Push(field.command, {.text = field.argument});
    const ImVec2 at = PlaceOf(f, field);
    f.Click(at.x, at.y);
    ++f.session.generation;  // every panel computes again
    TypeFast(f, kText, 4);
    CHECK(TextOfField() == kText);
  }
}

TEST_CASE("typing: no key is lost in a field of the settings, and the setting keeps the text") {
  struct TextSetting {
    std::string key, label, text;
  };
  const TextSetting settings[] = {{"keys.custom", "Custom keys", kText},
                                  {"peaks", "Peaks of devices", "MY GPU: memory=3350"}};
  for (const TextSetting& setting : settings) {
    CAPTURE(setting.key);
    ViewerFixture f;
    OpenWithAnalyses(f, TrainingTrace());
    f.Push("app.settings", {.text = setting.key});
    f.Frame(4);
    const TextPiece at = DrawnText().At(setting.label);
    constexpr float kToField = 220;  // pixels from the begin of the label
    f.Click(at.min.x + kToField, at.middle().y);
    ++f.session.generation;  // every panel computes again
    TypeFast(f, setting.text, 4);
    CHECK(TextOfField() == setting.text);
    f.Key(ImGuiKey_Tab);
    f.WaitIdle();
    CHECK(SettingText(f.viewer->settings(), FindSetting(setting.key)->member) == setting.text);
    CHECK(f.viewer->view().selected == EventRef());  // no letter was a key of a command
  }
}
