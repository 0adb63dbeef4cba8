// SettingsStore: what is kept from one start of the program to the next, in the user's
// configuration directory: settings, window layout, window placement, recent profiles, notes.
// Each file is replaced atomically; a damaged one is first renamed to NAME.damaged-1. UI thread
// only. Functions that write return false if the file cannot be written.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "viewer/core/profiles/session_view.h"
#include "viewer/core/state/settings.h"

namespace stepscope {

struct WindowPlacement {  // screen coordinates, as GLFW has them
  int width = 1600, height = 1000;
  int x = -1, y = -1;  // -1: let the desktop choose
  bool maximized = false;
  bool operator==(const WindowPlacement&) const = default;
};

class SettingsStore {
 public:
  static constexpr size_t kMaxRecent = 30;

  // An empty directory keeps nothing and reads defaults (screenshot, tests).
  explicit SettingsStore(std::filesystem::path directory) : directory_(std::move(directory)) {}

  // Those of version 0.2 where this version has written none yet.
  Settings ReadSettings() const;
  bool WriteSettings(const Settings& settings) const;
  std::string ReadLayout() const;  // imgui.ini text
  bool WriteLayout(std::string_view text) const;
  WindowPlacement ReadPlacement() const;
  bool WritePlacement(const WindowPlacement& placement) const;

  // Newest first. Entries of the file that are not valid are left out.
  std::vector<RecentProfile> ReadRecent() const;
  // Puts the path first and returns the new list. It reads the file again before, because another
  // window may have written it.
  std::vector<RecentProfile> AddRecent(const std::string& path, int64_t opened_unix_s) const;
  void ClearRecent() const;

  // The notes of a profile, under its fingerprint (app/session/profile_facts.h). Without a
  // fingerprint nothing is kept.
  std::string ReadNotes(const std::string& fingerprint) const;
  bool WriteNotes(const std::string& fingerprint, std::string_view text) const;
  // Renames a file of notes that cannot be understood. Returns its new path, or an empty text if
  // that failed.
  std::string SetNotesAside(const std::string& fingerprint) const;

 private:
  using IsIntact = bool (*)(const std::string& text);
  // Replaces a file. An old one that is not intact is renamed first.
  bool Write(const char* file, IsIntact intact, std::string_view text) const;
  std::filesystem::path NotesPath(const std::string& fingerprint) const;  // empty: nothing is kept

  std::filesystem::path directory_;
};

}  // namespace stepscope
