#include "app/session/settings_store.h"

#include <doctest/doctest.h>

#include <fstream>

#include "app/system/paths.h"
#include "tests/app/temp_dir.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

Settings WithTheme(ThemeChoice theme) {
  Settings settings;
  settings.theme = theme;
  return settings;
}

TEST_CASE("settings store: reads back what it writes, and makes the directory") {
  const TempDir dir;
  const SettingsStore store(dir.path() / "a/b");
  CHECK(store.ReadSettings() == Settings());
  CHECK(store.WriteSettings(WithTheme(ThemeChoice::kLight)));
  CHECK(store.WriteLayout("[Window][x]\n"));
  CHECK(store.ReadSettings() == WithTheme(ThemeChoice::kLight));
  CHECK(store.ReadLayout() == "[Window][x]\n");
  const WindowPlacement placement{1280, 800, 30, 40, true};
  CHECK(store.WritePlacement(placement));
  CHECK(store.ReadPlacement() == placement);
}

TEST_CASE("settings store: settings of version 0.2 are read until this version writes its own") {
  const TempDir dir;
  const SettingsStore store(dir.path());
  std::ofstream(dir.path() / "settings") << "theme = light\nfindings.muted = copies\n";
  Settings settings = store.ReadSettings();
  CHECK(settings.theme == ThemeChoice::kLight);
  CHECK(settings.muted.everywhere.contains("copies"));
  settings.theme = ThemeChoice::kDark;
  REQUIRE(store.WriteSettings(settings));
  CHECK(store.ReadSettings() == settings);
}

TEST_CASE("settings store: replacing leaves no other files behind") {
  const TempDir dir;
  const SettingsStore store(dir.path());
  Settings settings;
  settings.peaks = std::string(1000, 'x');
  for (int i = 0; i < 3; ++i) CHECK(store.WriteSettings(settings));
  size_t files = 0;
  for (const auto& entry : fs::directory_iterator(dir.path())) files += entry.is_regular_file();
  CHECK(files == 1);
}

TEST_CASE("settings store: a write that fails keeps the old file") {
  const TempDir dir;
  const fs::path file = dir.path() / "settings";
  CHECK(WriteFileAtomically(file, "old"));
  // A file stands where the directory should be, so nothing can be written below it.
  CHECK_FALSE(WriteFileAtomically(file / "below", "new"));
  CHECK(ReadSmallFile(file) == "old");
}

TEST_CASE("settings store: recent profiles, newest first, once each, at most 30") {
  const TempDir dir;
  const SettingsStore store(dir.path());
  for (int i = 0; i < 40; ++i) store.AddRecent("/p" + std::to_string(i), 1000 + i);
  store.AddRecent("/p20", 5000);
  // Another window reads the same file.
  const std::vector<RecentProfile> recent = SettingsStore(dir.path()).ReadRecent();
  REQUIRE(recent.size() == SettingsStore::kMaxRecent);
  CHECK(recent[0].path == "/p20");
  CHECK(recent[0].opened_unix_s == 5000);
  CHECK_FALSE(recent[0].exists);
  CHECK(recent[1].path == "/p39");
  size_t twentieth = 0;
  for (const RecentProfile& r : recent) twentieth += r.path == "/p20";
  CHECK(twentieth == 1);
  store.ClearRecent();
  CHECK(store.ReadRecent().empty());
}

TEST_CASE("settings store: damaged files are read as far as they make sense") {
  const TempDir dir;
  std::ofstream(dir.path() / "recent.json") << R"([1, {"path": 3}, {"path": "/x"}, {"opened": 1}])";
  std::ofstream(dir.path() / "window.json") << R"({"width": 100000000, "height": "tall"})";
  const SettingsStore store(dir.path());
  const std::vector<RecentProfile> recent = store.ReadRecent();
  REQUIRE(recent.size() == 1);
  CHECK(recent[0].path == "/x");
  CHECK(store.ReadPlacement().width == 16384);
  CHECK(store.ReadPlacement().height == WindowPlacement().height);
  std::ofstream(dir.path() / "recent.json") << "{[";
  CHECK(store.ReadRecent().empty());
}

TEST_CASE("settings store: a damaged file is renamed before it is replaced") {
  const TempDir dir;
  const SettingsStore store(dir.path());
  const auto write = [&](const char* file, const std::string& text) {
    std::ofstream(dir.path() / file, std::ios::binary) << text;
  };
  const std::string zeros(64, '\0');  // as file systems leave behind after a power cut
  for (const char* file : {"settings.json", "layout.ini", "window.json", "recent.json"})
    write(file, zeros);
  store.AddRecent("/x", 1);
  CHECK(store.WriteSettings({}));
  CHECK(store.WriteLayout("[Window][x]\nPos=1,2\n"));
  CHECK(store.WritePlacement({}));
  for (const char* file : {"settings.json", "layout.ini", "window.json", "recent.json"}) {
    CAPTURE(file);
    CHECK(ReadSmallFile(dir.path() / (std::string(file) + ".damaged-1")) == zeros);
  }
  CHECK(store.ReadRecent().size() == 1);

  // An intact file is replaced, and the next damaged one gets the next name.
  store.AddRecent("/y", 2);
  CHECK(store.WriteSettings(WithTheme(ThemeChoice::kDark)));
  CHECK(store.WriteLayout("[Window][y]\n"));
  CHECK_FALSE(fs::exists(dir.path() / "settings.json.damaged-2"));
  CHECK_FALSE(fs::exists(dir.path() / "layout.ini.damaged-2"));
  write("recent.json", R"([{"path": "/z", "op)");
  store.AddRecent("/x", 3);
  CHECK(ReadSmallFile(dir.path() / "recent.json.damaged-2").find("/z") != std::string::npos);
}

TEST_CASE("settings store: keeps notes by fingerprint and sets damaged ones aside") {
  const TempDir dir;
  const SettingsStore store(dir.path());
  CHECK(store.ReadNotes("abc").empty());
  REQUIRE(store.WriteNotes("abc", "one"));
  REQUIRE(store.WriteNotes("def", "two"));
  CHECK(SettingsStore(dir.path()).ReadNotes("abc") == "one");
  const std::string first = store.SetNotesAside("abc");
  CHECK(ReadSmallFile(first) == "one");
  CHECK(store.ReadNotes("abc").empty());
  REQUIRE(store.WriteNotes("abc", "three"));
  const std::string second = store.SetNotesAside("abc");
  CHECK(second != first);
  CHECK(ReadSmallFile(first) == "one");
  CHECK(store.SetNotesAside("none of these").empty());
}

TEST_CASE("settings store: without a directory nothing is kept and nothing fails") {
  const SettingsStore store({});
  CHECK(store.WriteSettings(WithTheme(ThemeChoice::kLight)));
  CHECK(store.ReadSettings() == Settings());
  CHECK(store.ReadRecent().empty());
  CHECK(store.ReadPlacement() == WindowPlacement());
}

}  // namespace
}  // namespace stepscope
