#include "viewer/core/state/settings.h"

#include <doctest/doctest.h>

#include <random>
#include <set>
#include <string>

using namespace stepscope;  // NOLINT

namespace {

bool Set(std::string_view key, std::string_view text, Settings* settings) {
  const SettingDesc* row = FindSetting(key);
  return row != nullptr && SetSetting(*row, text, settings);
}

// Rules of tracks whose names hold what texts of version 0.2 gave a meaning.
TrackRules RulesOfAllKinds() {
  TrackRules rules;
  rules.folded = {"host|GPU 0", "a;b\\c\nd|e"};
  rules.unfolded = {"host|Spans"};
  rules.hidden = {"host|GPU 1|Stream #7(Memcpy)#7"};
  rules.pinned = {"z", "a"};
  rules.order = {"second", "first"};
  rules.rows = {{"host|python3#3", 4}};
  rules.names = {{"a;b\tc|d", "my ; stream\\"}, {"host|GPU 0", "the fast one"}};
  rules.colors = {{"host|GPU 0", 3}};
  rules.filter = "stream 14";
  return rules;
}

}  // namespace

TEST_CASE("settings come back from their file, which leaves out defaults") {
  CHECK(SettingsJson(Settings()) == "{}\n");
  Settings settings;
  settings.glide_ms = 250;
  settings.scale = 1.1;
  settings.theme = ThemeChoice::kHighContrast;
  settings.animate = false;
  settings.open_folder = "/data/a = b";
  settings.tracks = RulesOfAllKinds();
  settings.custom_keys = {{"mark.add", "B"}, {"view.zoom_in", ""}};
  settings.muted.everywhere = {"sync"};
  settings.muted.in_programs = {{"copies", ProgramId{1, 2, 3}}};
  settings.queries = {"SELECT '\\n;\\;'\nFROM events;\n", "a\\"};
  settings.capture_addresses = {"a:1", "b:2,c:3"};
  settings.unknown = {{"future.key", "[7]"}};
  CHECK(ParseSettings(SettingsJson(settings)) == settings);
}

TEST_CASE("a file of settings: values are clamped, wrong types ignored, unknown keys kept") {
  const Settings settings =
      ParseSettings(R"({"scale": 99, "theme": "light", "timeline.glide_ms": 7.6,
      "timeline.animate": "maybe", "future": {"a": 1}, "timeline.tracks": {"hidden": ["a", 3],
      "rows": {"a": 0, "b": 4000000000, "c": -1, "d": 1.5}, "pinned": ["a", "b", "a"]},
      "findings.muted": {"in_programs": [{"rule": "copies", "program": "x"}, 3]},
      "query.history": [1, "SELECT 1"], "keys.custom": [{"command": "mark.add"}, 5]})");
  CHECK(settings.scale == 3.0);
  CHECK(settings.theme == ThemeChoice::kLight);
  CHECK(settings.glide_ms == 50);
  CHECK(settings.animate);
  CHECK(settings.tracks.hidden == TrackRules::Paths{"a"});
  CHECK(settings.tracks.rows == TrackRules::Numbers{{"b", TrackRules::kMostRows}});
  CHECK(settings.tracks.pinned == std::vector<std::string>{"a", "b"});
  CHECK(settings.muted == MutedRules());
  CHECK(settings.queries == std::vector<std::string>{"SELECT 1"});
  CHECK(settings.custom_keys.front() == KeyRule{"mark.add", ""});
  CHECK(settings.unknown.at("future") == "{\"a\":1}");
}

TEST_CASE("any text is read as a file of settings without harm") {
  std::mt19937 random(3);
  Settings chosen;
  chosen.theme = ThemeChoice::kDark;
  chosen.queries = {"SELECT 1"};
  const std::string file = SettingsJson(chosen);
  for (int i = 0; i < 500; ++i) {
    std::string text = file;
    for (int n = 0; n < 4; ++n) text[random() % text.size()] = "\\;n a={}[]\"\n"[random() % 12];
    const Settings settings = ParseSettings(text);
    CHECK(ParseSettings(SettingsJson(settings)) == settings);
  }
}

TEST_CASE("texts that are no number, choice or list are refused and change nothing") {
  Settings settings;
  CHECK_FALSE(Set("scale", "nan", &settings));
  CHECK_FALSE(Set("scale", "1x", &settings));
  CHECK_FALSE(Set("theme", "dar", &settings));
  CHECK_FALSE(Set("timeline.tracks", "{\"hidden\": [", &settings));
  CHECK_FALSE(Set("no.such", "1", &settings));
  CHECK(settings == Settings());
  CHECK(Set("dialog.folder", "a\nscale = 3", &settings));
  CHECK(settings.open_folder == "a");
}

TEST_CASE("every setting comes back from its text, and keys and members are unique") {
  std::set<std::string> keys;
  for (const SettingDesc& row : SettingRows()) {
    CAPTURE(row.key);
    CHECK(keys.insert(row.key).second);
    CHECK(&SettingDescOf(row.member) == &row);
    Settings settings;
    CHECK(SetSetting(row, SettingText(settings, row.member), &settings));
    CHECK(settings == Settings());
  }
}

TEST_CASE("a text of a list comes first, and each is there once") {
  std::vector<std::string> texts = {"a:1", "b:2"};
  PutFirst("c:3", 10, &texts);
  PutFirst("b:2", 10, &texts);
  CHECK(texts == std::vector<std::string>{"b:2", "c:3", "a:1"});
  PutFirst("d:4", 2, &texts);
  CHECK(texts == std::vector<std::string>{"d:4", "b:2"});
}

TEST_CASE("settings of version 0.2: values, lists in their notations, unknown keys") {
  const std::string program(256, '0');
  const Settings settings = ParseSettings(
      "# comment\nscale = 99\ntheme=light\ntimeline.animate = maybe\nfuture.key = 7\nbroken line\n"
      " = x\nfindings.muted_in_programs = copies@" +
      program +
      " copies@nonsense @ copies\n"
      "findings.muted = sync  no-such-rule\nquery.history = SELECT '\\\\n;'\\nFROM t\\;a\\\\\\;\n"
      "capture.addresses =  a:1 ; b:2,c:3;; a:1 \nkeys.custom = mark.add=B; view.zoom_in=W | =\n"
      "timeline.tracks = fold host|GPU 0; fold a\\;b\\\\c\\nd|e; unfold host|Spans; "
      "hide host|GPU 1|Stream #7(Memcpy)#7; pin z; pin a; order second; order first; "
      "rows 4 host|python3#3; name my \\; stream\\\\\ta\\;b\tc|d; name the fast one\thost|GPU 0; "
      "color 3 host|GPU 0; filter stream 14\n");
  CHECK(settings.scale == 3);
  CHECK(settings.theme == ThemeChoice::kLight);
  CHECK(settings.animate);
  CHECK(settings.unknown.at("future.key") == "\"7\"");
  CHECK(settings.muted.everywhere == std::set<std::string, std::less<>>{"no-such-rule", "sync"});
  CHECK(settings.muted.in_programs == std::vector<MutedRules::InProgram>{{"copies", ProgramId{}}});
  CHECK(settings.queries == std::vector<std::string>{"SELECT '\\n;'\nFROM t", "a\\"});
  CHECK(settings.capture_addresses == std::vector<std::string>{"a:1", "b:2,c:3"});
  CHECK(settings.custom_keys == std::vector<KeyRule>{{"mark.add", "B"}, {"view.zoom_in", "W | ="}});
  CHECK(settings.tracks == RulesOfAllKinds());
}

TEST_CASE("settings of version 0.2: rules of tracks that are none are left out") {
  const auto read = [](const char* text) {
    Settings settings;
    CHECK(Set("timeline.tracks", text, &settings));
    return settings.tracks;
  };
  const TrackRules rules =
      read("  hide a ; explode b; rows 0 c; rows x c; rows 3; rows 5 d; pin; ;fold e\\");
  CHECK(rules.hidden == TrackRules::Paths{"a "});
  CHECK(rules.rows == TrackRules::Numbers{{"d", 5}});
  CHECK(rules.pinned.empty());
  CHECK(rules.folded == TrackRules::Paths{"e\\"});
  CHECK(read("name a; name \tb; name c\t; color 0 d; color e") == TrackRules());
  CHECK(read("name n\ta\tb").names.at("a\tb") == "n");
  CHECK(read("rows 4000000000 x").rows.at("x") == 10'000);
  CHECK(read("pin a; pin b; pin a").pinned == std::vector<std::string>{"a", "b"});
  CHECK(read("") == TrackRules());
}

using namespace stepscope;  // NOLINT

namespace {

// Names "op 0" to "op N-1" with letters for numbers, which do not count, and a step with a number.
NameTable NamesOf(int first, int last, int step) {
  NameTable names;
  const auto add = [&](const std::string& name) {
    EventMeta meta;
    meta.name = names.strings.Intern(name);
    names.metas.push_back(meta);
  };
  for (int i = first; i < last; ++i) {
    std::string name = "op_";
    for (int k = i + 1; k > 0; k /= 26) name += static_cast<char>('a' + k % 26);
    add(name + std::to_string(step));
  }
  add("train " + std::to_string(step));
  return names;
}

}  // namespace

TEST_CASE("program: its profiles share most names, whatever their numbers") {
  const ProgramId program = ProgramOf(NamesOf(0, 200, 1));
  CHECK(SameProgram(program, ProgramOf(NamesOf(0, 200, 77))));
  CHECK(SameProgram(program, ProgramOf(NamesOf(10, 205, 2))));  // some ops went, some came
  CHECK_FALSE(SameProgram(program, ProgramOf(NamesOf(140, 340, 1))));
  CHECK_FALSE(SameProgram(program, ProgramOf(NamesOf(300, 400, 1))));
}

TEST_CASE("program: an id comes back from its text, and other texts are refused") {
  const ProgramId program = ProgramOf(NamesOf(0, 20, 1));
  const std::string text = ToText(program);
  CHECK(text.size() == 256);
  CHECK(ParseProgramId(text) == program);
  CHECK_FALSE(ParseProgramId(text.substr(1)));
  CHECK_FALSE(ParseProgramId(std::string(256, 'x')));
  CHECK(SameProgram(ProgramOf(NameTable()), ProgramOf(NameTable())));
}

TEST_CASE("muted rules: a rule is muted in one program or in all") {
  const ProgramId mine = ProgramOf(NamesOf(0, 100, 1)), other = ProgramOf(NamesOf(500, 600, 1));
  MutedRules rules;
  rules.everywhere = {"sync"};
  rules.MuteIn("copies", mine);
  rules.MuteIn("copies", mine);
  CHECK(rules.in_programs.size() == 1);
  CHECK(rules.IsMutedIn("copies", mine));
  CHECK_FALSE(rules.IsMutedIn("copies", other));
  CHECK_FALSE(rules.IsMutedIn("sync", mine));
  rules.Unmute("copies", mine);
  CHECK(rules.in_programs.empty());
  rules.Unmute("sync", other);
  CHECK(rules.everywhere.empty());
}
