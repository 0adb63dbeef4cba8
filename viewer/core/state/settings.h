// Settings: a table of rows (key, label, type, default, limits, page) and a store of their values,
// which reads and writes text: lines "key = value", unknown keys are kept. Adding a setting is one
// row in settings.cc. UI thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace stepscope {

enum class SettingType { kBool, kInt, kReal, kChoice, kText };

struct SettingDesc {
  const char* key;    // "timeline.animate"
  const char* label;  // "Animate"
  const char* what;   // one sentence
  const char* page;   // "Appearance"; empty: not on the settings page
  SettingType type;
  const char* standard;  // default, as text
  double min, max;       // for kInt and kReal
  const char* choices;   // "dark|light", for kChoice
};

std::span<const SettingDesc> SettingRows();
const SettingDesc* FindSetting(std::string_view key);

class Settings {
 public:
  Settings();
  // Reads lines "key = value"; '#' begins a comment. Values out of range are clamped, and values of
  // the wrong type are ignored.
  void Load(std::string_view text);
  // The values that differ from their defaults, and unknown keys, sorted by key.
  std::string Text() const;

  bool Bool(std::string_view key) const { return Get(key) == "true"; }
  int Int(std::string_view key) const { return static_cast<int>(Real(key)); }
  double Real(std::string_view key) const;
  const std::string& Get(std::string_view key) const;
  // Clamps to the row's limits. False if the value does not parse or there is no such key.
  bool Set(std::string_view key, std::string_view value);
  uint64_t generation() const { return generation_; }  // changes with every effective Set

 private:
  std::map<std::string, std::string, std::less<>> values_, unknown_;
  uint64_t generation_ = 1;
};

}  // namespace stepscope
