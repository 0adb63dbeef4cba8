// Settings: one table of rows (key, label, type, default, limits, page), one store with text in and
// out. Adding a setting is one row in settings.cc. Text form: lines "key = value"; unknown keys are
// kept.
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
  const char* label;  // "Glide when zooming"
  const char* what;   // one sentence
  const char* page;   // "Appearance"; empty: not on the settings page
  SettingType type;
  const char* standard;  // default, as text
  double min, max;       // of numbers
  const char* choices;   // "dark|light", for kChoice
};

std::span<const SettingDesc> SettingRows();
const SettingDesc* FindSetting(std::string_view key);

class Settings {
 public:
  Settings();
  // Reads "key = value" lines; values out of range are clamped, of the wrong type ignored.
  // Comments: '#'.
  void Load(std::string_view text);
  std::string Text() const;  // every value that differs from its default, and unknown keys, sorted

  bool Bool(std::string_view key) const { return Get(key) == "true"; }
  int Int(std::string_view key) const { return static_cast<int>(Real(key)); }
  double Real(std::string_view key) const;
  const std::string& Get(std::string_view key) const;
  // False if the value does not parse; clamps to the row's limits.
  bool Set(std::string_view key, std::string_view value);
  uint64_t generation() const { return generation_; }  // changes with every effective Set

 private:
  std::map<std::string, std::string, std::less<>> values_, unknown_;
  uint64_t generation_ = 1;
};

}  // namespace stepscope
