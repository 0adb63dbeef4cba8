// Keys of presets and of the user.
#include "viewer/core/commands/keys.h"

#include <doctest/doctest.h>

#include <imgui_internal.h>

#include <set>

#include "tests/viewer/viewer_fixture.h"
#include "viewer/core/commands/command.h"
#include "viewer/core/panel.h"
#include "viewer/core/state/settings.h"

using namespace stepscope;        // NOLINT
using namespace stepscope::test;  // NOLINT

namespace {

KeyBindings With(const char* preset, const std::string& custom) {
  Settings settings;
  CHECK(SetSetting(SettingDescOf(&Settings::key_preset), preset, &settings));
  CHECK(SetSetting(SettingDescOf(&Settings::custom_keys), custom, &settings));
  KeyBindings keys;
  keys.Update(settings);
  return keys;
}

}  // namespace

TEST_CASE("without a preset or choice the keys are the table's") {
  const KeyBindings keys;
  for (const CommandDesc& command : Commands()) CHECK(keys.Of(command.id) == command.keys);
  CHECK(keys.Of("panel.overview") == "Alt+1");
  CHECK(keys.Of("no.such").empty());
  CHECK(keys.notes().empty());
}

TEST_CASE("presets name commands and keys, and no key belongs to two commands") {
  for (const char* preset : ChoiceTexts(&Settings::key_preset)) {
    CAPTURE(preset);
    const KeyBindings keys = With(preset, "");
    std::set<std::pair<int, unsigned>> taken;
    for (const CommandDesc& command : Commands()) {
      bool ok = true;
      for (const KeyChord& chord : ParseChords(keys.Of(command.id), &ok))
        CHECK(taken.insert({chord.chord, chord.character}).second);
      CHECK(ok);
    }
  }
}

TEST_CASE("a chosen key is taken from its command, and a note says so") {
  const KeyBindings keys = With("Stepscope", "mark.add=B; search.next = T ;panel.memory=Alt+J");
  CHECK(keys.Of("mark.add") == "B");
  CHECK(keys.Of("search.next") == "T");
  CHECK(keys.Of("view.tall_panels").empty());
  CHECK(keys.Of("panel.memory") == "Alt+J");
  REQUIRE(keys.notes().size() == 1);
  CHECK(keys.notes()[0] == "T was that of view.tall_panels");
}

TEST_CASE("rules that are no bindings are left out, and a note says so") {
  const KeyBindings keys = With("Stepscope", "no.such=B; mark.add=Hyper+Q; ; =; mark.add");
  CHECK(keys.notes().size() == 3);
  CHECK(keys.Of("mark.add").empty());  // "mark.add" alone: no key
}

TEST_CASE("the window follows the chosen keys") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  f.viewer->settings().custom_keys = {{"filter.here", "B"}};
  f.Frame(2);
  f.Key(ImGuiKey_L);
  CHECK(f.viewer->view().filters.empty());
  f.Key(ImGuiKey_B);
  CHECK(f.viewer->view().filters.size() == 1);
}

TEST_CASE("a choice replaces the earlier one for its command and can be taken back") {
  using Rules = std::vector<KeyRule>;
  const Rules both = {{"mark.add", "B"}, {"view.zoom_in", "W | ="}};
  CHECK(WithKeys({}, "mark.add", "B") == Rules{{"mark.add", "B"}});
  CHECK(WithKeys(both, "mark.add", "Ctrl+B") ==
        Rules{{"view.zoom_in", "W | ="}, {"mark.add", "Ctrl+B"}});
  CHECK(WithKeys(both, "mark.add", std::nullopt) == Rules{{"view.zoom_in", "W | ="}});
  CHECK(WithKeys({{"mark.add", "B"}}, "mark.add", "") == Rules{{"mark.add", ""}});
  CHECK(HasRule(both, "mark.add"));
  CHECK_FALSE(HasRule(both, "mark"));
  const KeyBindings keys = With("Stepscope", "mark.add=Ctrl+O");
  CHECK(keys.Of("mark.add") == "Ctrl+O");
  CHECK(keys.Of("file.open").empty());
  CHECK(keys.OwnerOf("Ctrl+O") == "mark.add");
  CHECK(KeyBindings().OwnerOf("Ctrl+O") == "file.open");
  CHECK(KeyBindings().OwnerOf("Alt+1") == "panel.overview");
  CHECK(KeyBindings().OwnerOf("Ctrl+Alt+F9").empty());
  CHECK(With("Stepscope", "mark.add").Of("mark.add").empty());
}

namespace {

// The help window after a click on a command's keys.
struct KeysOfAddMarker {
  KeysOfAddMarker() {
    app.Open(TrainingTrace());
    app.Push("app.help");
    app.Frame(4);
  }
  std::string Custom() { return KeyRulesText(app.viewer->settings().custom_keys); }
  // The button with a label in the help window's row of "mark.add"; nothing if there is none.
  void Activate(const char* label) {
    // The row's id lies under the table's.
    const ImGuiTable* table = nullptr;
    auto& tables = ImGui::GetCurrentContext()->Tables;
    for (int i = 0; i < tables.GetMapSize(); ++i) {
      const ImGuiTable* one = tables.TryGetMapData(i);
      const bool help = one != nullptr && one->OuterWindow != nullptr &&
                        std::string(one->OuterWindow->Name).ends_with("###help");
      if (help) table = one;
    }
    REQUIRE(table != nullptr);
    const ImGuiID row = ImHashStr("mark.add", 0, table->ID);
    ImGui::ActivateItemByID(ImHashStr(label, 0, row));
    app.Frame(4);
  }
  ViewerFixture app;
};

}  // namespace

TEST_CASE("in the list of commands a click and a chord change a command's keys") {
  KeysOfAddMarker help;
  help.Activate("###keys");
  help.app.Key(ImGuiKey_B, ImGuiMod_Ctrl);
  CHECK(help.Custom() == "mark.add=Ctrl+B");
  // Escape leaves the keys as they are and calls no command.
  help.Activate("###keys");
  help.app.Key(ImGuiKey_Escape);
  CHECK(help.Custom() == "mark.add=Ctrl+B");
  // For a key of another command the user is asked first.
  help.Activate("###keys");
  help.app.Key(ImGuiKey_W);
  CHECK(help.Custom() == "mark.add=Ctrl+B");
  help.Activate("Keep");
  CHECK(help.Custom() == "mark.add=Ctrl+B");
  help.Activate("###keys");
  help.app.Key(ImGuiKey_W);
  help.Activate("Reassign");
  CHECK(help.Custom() == "mark.add=W");
  CHECK(help.app.viewer->view().profiles.front().markers.empty());
}
