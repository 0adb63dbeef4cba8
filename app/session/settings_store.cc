#include "app/session/settings_store.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/system/paths.h"
#include "loaders/remote/remote_path.h"

namespace stepscope {
namespace {

constexpr char kSettingsFile[] = "settings.json", kOldSettingsFile[] = "settings";
constexpr char kLayoutFile[] = "layout.ini";
constexpr char kPlacementFile[] = "window.json";
constexpr char kRecentFile[] = "recent.json";
constexpr char kNotesFolder[] = "notes";

std::string Dump(const nlohmann::ordered_json& json) {
  // Paths need not be UTF-8; the default handler would throw.
  return json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

// Whether a text is an imgui.ini: its lines are empty, comments, headings or values.
bool IsLayout(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    for (const char c : line) {
      if (std::iscntrl(static_cast<unsigned char>(c)) && c != '\t' && c != '\r') return false;
    }
    const size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string::npos || line[begin] == ';') continue;
    if (line.find_first_of("[=") == std::string::npos) return false;
  }
  return true;
}

bool IsObject(const std::string& text) {
  return nlohmann::ordered_json::parse(text, nullptr, false).is_object();
}
bool IsArray(const std::string& text) {
  return nlohmann::ordered_json::parse(text, nullptr, false).is_array();
}

// Renames a file to NAME.damaged-1, or the next number that is free. Returns its new path, or an
// empty text if that failed.
std::string SetAside(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::path aside;
  for (int i = 1; i < 1000; ++i) {
    aside = path.string() + ".damaged-" + std::to_string(i);
    if (!std::filesystem::exists(aside, error)) break;
  }
  std::filesystem::rename(path, aside, error);
  return error ? std::string() : aside.string();
}

int IntOr(const nlohmann::ordered_json& json, const char* key, int fallback) {
  const auto it = json.find(key);
  return it != json.end() && it->is_number_integer() ? it->get<int>() : fallback;
}

}  // namespace

bool SettingsStore::Write(const char* file, IsIntact intact, std::string_view text) const {
  if (directory_.empty()) return true;
  const std::filesystem::path path = directory_ / file;
  if (const std::string old = ReadSmallFile(path); !old.empty() && !intact(old)) SetAside(path);
  return WriteFileAtomically(path, text);
}

Settings SettingsStore::ReadSettings() const {
  if (directory_.empty()) return {};
  const std::string text = ReadSmallFile(directory_ / kSettingsFile);
  return ParseSettings(text.empty() ? ReadSmallFile(directory_ / kOldSettingsFile) : text);
}

bool SettingsStore::WriteSettings(const Settings& settings) const {
  return Write(kSettingsFile, IsObject, SettingsJson(settings));
}

std::string SettingsStore::ReadLayout() const {
  return directory_.empty() ? std::string() : ReadSmallFile(directory_ / kLayoutFile);
}

bool SettingsStore::WriteLayout(std::string_view text) const {
  return Write(kLayoutFile, IsLayout, text);
}

WindowPlacement SettingsStore::ReadPlacement() const {
  WindowPlacement placement;
  if (directory_.empty()) return placement;
  const nlohmann::ordered_json json =
      nlohmann::ordered_json::parse(ReadSmallFile(directory_ / kPlacementFile), nullptr, false);
  if (!json.is_object()) return placement;
  const WindowPlacement defaults;
  placement.width = std::clamp(IntOr(json, "width", defaults.width), 320, 16384);
  placement.height = std::clamp(IntOr(json, "height", defaults.height), 240, 16384);
  placement.x = std::clamp(IntOr(json, "x", -1), -1, 32767);
  placement.y = std::clamp(IntOr(json, "y", -1), -1, 32767);
  placement.maximized = IntOr(json, "maximized", 0) != 0;
  return placement;
}

bool SettingsStore::WritePlacement(const WindowPlacement& placement) const {
  nlohmann::ordered_json json;
  json["width"] = placement.width;
  json["height"] = placement.height;
  json["x"] = placement.x;
  json["y"] = placement.y;
  json["maximized"] = placement.maximized ? 1 : 0;
  return Write(kPlacementFile, IsObject, Dump(json));
}

std::vector<RecentProfile> SettingsStore::ReadRecent() const {
  std::vector<RecentProfile> recent;
  if (directory_.empty()) return recent;
  const nlohmann::ordered_json json =
      nlohmann::ordered_json::parse(ReadSmallFile(directory_ / kRecentFile), nullptr, false);
  if (!json.is_array()) return recent;
  for (const nlohmann::ordered_json& entry : json) {
    if (!entry.is_object() || recent.size() == kMaxRecent) continue;
    const auto path = entry.find("path");
    if (path == entry.end() || !path->is_string()) continue;
    RecentProfile profile;
    profile.path = path->get<std::string>();
    const auto opened = entry.find("opened");
    if (opened != entry.end() && opened->is_number_integer()) {
      profile.opened_unix_s = opened->get<int64_t>();
    }
    std::error_code error;
    profile.exists = IsRemotePath(profile.path) || std::filesystem::exists(profile.path, error);
    recent.push_back(std::move(profile));
  }
  return recent;
}

std::vector<RecentProfile> SettingsStore::AddRecent(const std::string& path,
                                                    int64_t opened_unix_s) const {
  std::vector<RecentProfile> recent = ReadRecent();
  std::erase_if(recent, [&](const RecentProfile& r) { return r.path == path; });
  recent.insert(recent.begin(), {path, opened_unix_s, true});
  if (recent.size() > kMaxRecent) recent.resize(kMaxRecent);
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const RecentProfile& r : recent) {
    json.push_back({{"path", r.path}, {"opened", r.opened_unix_s}});
  }
  Write(kRecentFile, IsArray, Dump(json));
  return recent;
}

void SettingsStore::ClearRecent() const { Write(kRecentFile, IsArray, "[]\n"); }

std::filesystem::path SettingsStore::NotesPath(const std::string& fingerprint) const {
  if (directory_.empty() || fingerprint.empty()) return {};
  return directory_ / kNotesFolder / (fingerprint + ".json");
}

std::string SettingsStore::ReadNotes(const std::string& fingerprint) const {
  const std::filesystem::path path = NotesPath(fingerprint);
  return path.empty() ? std::string() : ReadSmallFile(path);
}

bool SettingsStore::WriteNotes(const std::string& fingerprint, std::string_view text) const {
  const std::filesystem::path path = NotesPath(fingerprint);
  return path.empty() || WriteFileAtomically(path, text);
}

std::string SettingsStore::SetNotesAside(const std::string& fingerprint) const {
  const std::filesystem::path path = NotesPath(fingerprint);
  return path.empty() ? std::string() : SetAside(path);
}

}  // namespace stepscope
