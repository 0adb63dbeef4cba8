// SettingsStore: what is kept between runs, in the user's configuration directory: settings, window
// layout, window size, recent profiles. Each file is replaced atomically; a damaged one is renamed
// to NAME.damaged-1 instead. UI thread only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "viewer/core/session_view.h"

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

  std::string ReadSettings() const;
  bool WriteSettings(std::string_view text) const;
  std::string ReadLayout() const;  // imgui.ini text
  bool WriteLayout(std::string_view text) const;
  WindowPlacement ReadPlacement() const;
  bool WritePlacement(const WindowPlacement& placement) const;

  // Newest first. What is not valid in the file is left out.
  std::vector<RecentProfile> ReadRecent() const;
  // Puts the path first. Reads the file again before, as another window may have written it.
  std::vector<RecentProfile> AddRecent(const std::string& path, int64_t opened_unix_s) const;
  void ClearRecent() const;

  // What a user noted of a profile, by its content (content_id.h).
  std::string ReadNotes(const std::string& content) const;
  bool WriteNotes(const std::string& content, std::string_view text) const;
  // Renames a file that cannot be read; its new path, or empty if that failed.
  std::string SetNotesAside(const std::string& content) const;

 private:
  using IsIntact = bool (*)(const std::string& text);
  // Replaces a file; one that is there and not intact is kept under another name first.
  bool Write(const char* file, IsIntact intact, std::string_view text) const;
  std::filesystem::path NotesPath(const std::string& content) const;  // empty: none

  std::filesystem::path directory_;
};

}  // namespace stepscope
