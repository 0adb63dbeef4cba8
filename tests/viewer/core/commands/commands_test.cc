#include <doctest/doctest.h>
#include <imgui.h>

#include <cmath>
#include <map>
#include <set>
#include <string>

#include "tests/viewer/viewer_fixture.h"
#include "viewer/core/commands/command.h"
#include "viewer/core/commands/context.h"
#include "viewer/core/commands/keys.h"
#include "viewer/core/panel.h"

using namespace stepscope;  // NOLINT

TEST_CASE("every command has a unique id, texts, and keys that parse") {
  std::set<std::string> ids;
  for (const CommandDesc& command : Commands()) {
    CAPTURE(command.id.text());
    CHECK(ids.insert(command.id.text()).second);
    CHECK(command.title[0] != 0);
    CHECK(command.what[0] != 0);
    CHECK((command.enabled != nullptr));
    CHECK((command.apply != nullptr));
    bool ok = false;
    ParseChords(command.keys, &ok);
    CHECK(ok);
    // Users find a key in a menu or in help, which list commands with a category only.
    if (command.keys[0] != 0) CHECK(command.category[0] != 0);
    CHECK(FindCommand(command.id) == &command);
  }
  CHECK(FindCommand("no.such") == nullptr);
  // Each id in the sources has a row.
  CHECK(std::ssize(ids) == std::count(kCommandIds.begin(), kCommandIds.end(), ' ') - 1);
}

TEST_CASE("no two commands or panels share a key") {
  std::map<std::pair<int, unsigned>, std::string> taken;
  const auto add = [&](const char* keys, const char* id) {
    bool ok = false;
    for (const KeyChord& chord : ParseChords(keys, &ok)) {
      const auto added = taken.try_emplace({chord.chord, chord.character}, id);
      const std::string& owner = added.first->second;
      CAPTURE(owner);
      CAPTURE(id);
      CHECK(added.second);
    }
    CHECK(ok);
  };
  for (const CommandDesc& command : Commands()) add(command.keys, command.id.text());
  for (const PanelDesc& panel : Panels()) add(panel.key, panel.id);
}

TEST_CASE("chords parse to keys and modifiers") {
  bool ok = false;
  auto chords = ParseChords("Ctrl+Shift+O | Left", &ok);
  REQUIRE(ok);
  REQUIRE(chords.size() == 2);
  CHECK(chords[0].chord == (ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_O));
  CHECK_FALSE(chords[0].repeat);
  CHECK(chords[1].chord == ImGuiKey_LeftArrow);
  CHECK(chords[1].repeat);
  chords = ParseChords("?", &ok);
  CHECK(chords[0].character == '?');
  for (const char* bad : {"Ctrl+", "Hyper+A", "F13", "ab", "Ctrl+Nope"}) {
    ParseChords(bad, &ok);
    CHECK_FALSE(ok);
  }
  CHECK(ParseChords("", &ok).empty());
  CHECK(ok);
}

TEST_CASE("a script's number means the field that the command's row names") {
  const auto args = [](CommandId id, double number) {
    CommandArgs out;
    SetNumber(DescOf(id), number, &out);
    return out;
  };
  CHECK(args("view.zoom_in", 2.5).steps == 2.5);
  CHECK(args("view.scroll", -30).pixels == -30);
  CHECK(args("view.scroll", -1e300).pixels == -1e15);
  CHECK(args("view.scroll", std::nan("")).pixels == 0);
  CHECK(args("view.zoom_selection", 1).closer_only);
  CHECK_FALSE(args("view.zoom_selection", 0).closer_only);
  CHECK(args("file.write", 1).replace);
  CHECK(args("track.rows", 3).rows == 3);
  CHECK(args("track.move", 1).to_end);
  CHECK(args("track.color", 2).color == 2);
  CHECK(args("mark.remove", 2).marker == 2);
  CHECK(args("mark.remove", -0.5).marker == -1);  // no marker: not the first one
  CHECK(args("select.show_events", 5e6).total == 5'000'000);
  CHECK(args("copy.name", 7).steps == 1);  // no number: nothing changes
}

TEST_CASE("the queue keeps order and a bounded journal") {
  CommandQueue queue;
  for (int i = 0; i < 1500; ++i) queue.Push("app.note", {.text = std::to_string(i)});
  for (int i = 0; i < 1500; ++i) {
    const std::optional<Command> command = queue.Pop();
    REQUIRE(command.has_value());
    CHECK(command->args.text == std::to_string(i));
  }
  CHECK_FALSE(queue.Pop().has_value());
  CHECK(queue.journal().size() == 1000);
  CHECK(queue.journal().back().args.text == "1499");
}

TEST_CASE("switches say whether they are on, and each command flips its switch") {
  ViewState view;
  SessionStatus session;
  RecordingServices services;
  Settings settings;
  WindowState windows;
  JobQueue searches(services.jobs, Urgency::kFirst);
  Search search(searches);
  ViewHistory history;
  TimelineFeedback timeline;
  ViewerContext context{view, session, services, settings, windows, search, history, timeline, {}};
  constexpr CommandId kSwitches[] = {
      "view.python_frames", "view.derived_lanes", "view.waiting_lanes", "view.definitions",
      "compare.colors",     "app.help",           "app.settings"};
  for (const CommandId id : kSwitches) {
    CAPTURE(id.text());
    const CommandDesc& command = DescOf(id);
    REQUIRE((command.on != nullptr));
    const bool before = command.on(context);
    command.apply(context, {});
    CHECK(command.on(context) != before);
    command.apply(context, {});
    CHECK(command.on(context) == before);
  }
  DescOf("tool.zoom").apply(context, {});
  CHECK(DescOf("tool.zoom").on(context));
  CHECK_FALSE(DescOf("tool.pan").on(context));
}
