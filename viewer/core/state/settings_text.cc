// The values of settings as texts and as JSON.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>

#include "viewer/core/state/old_settings.h"
#include "viewer/core/state/settings.h"

namespace stepscope {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::pair<const char*, TrackRules::Paths TrackRules::*> kPathSets[] = {
    {"folded", &TrackRules::folded},
    {"unfolded", &TrackRules::unfolded},
    {"hidden", &TrackRules::hidden}};
constexpr std::pair<const char*, std::vector<std::string> TrackRules::*> kPathLists[] = {
    {"pinned", &TrackRules::pinned}, {"order", &TrackRules::order}};
struct NumberRule {
  const char* key;
  TrackRules::Numbers TrackRules::*member;
  uint32_t most;
};
constexpr NumberRule kNumberRules[] = {{"rows", &TrackRules::rows, TrackRules::kMostRows},
                                       {"colors", &TrackRules::colors, TrackRules::kMostColors}};

// --- Values to JSON
template <typename T>
Json ToJson(const T& value) {
  return value;
}

Json ToJson(const TrackRules& rules) {
  Json json = Json::object();
  const auto set = [&](const char* key, const auto& values) {
    if (!values.empty()) json[key] = values;
  };
  for (const auto& [key, member] : kPathSets) set(key, rules.*member);
  for (const auto& [key, member] : kPathLists) set(key, rules.*member);
  for (const NumberRule& rule : kNumberRules) set(rule.key, rules.*rule.member);
  set("names", rules.names);
  set("filter", rules.filter);
  return json;
}

Json ToJson(const MutedRules& muted) {
  Json json = {{"everywhere", muted.everywhere}, {"in_programs", Json::array()}};
  for (const MutedRules::InProgram& one : muted.in_programs)
    json["in_programs"].push_back({{"rule", one.rule}, {"program", ToText(one.program)}});
  return json;
}

Json ToJson(const std::vector<KeyRule>& rules) {
  Json json = Json::array();
  for (const KeyRule& rule : rules) json.push_back({{"command", rule.id}, {"keys", rule.keys}});
  return json;
}

Json ToJson(const Settings& settings, const SettingMember& member) {
  if (const auto texts = ChoiceTexts(member); !texts.empty())
    return texts[ChoiceIndex(settings, member)];
  return std::visit([&](auto m) { return ToJson(settings.*m); }, member);
}

std::string Dump(const Json& json, int indent) {
  // A path need not be UTF-8; the default handler would throw.
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

// --- Texts and JSON to values. What is no value is left out.
std::string TextIn(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::vector<std::string> TextsIn(const Json& list) {
  std::vector<std::string> texts;
  if (!list.is_array()) return texts;
  for (const Json& text : list) {
    if (text.is_string()) texts.push_back(text.get<std::string>());
  }
  return texts;
}

Json Member(const Json& json, const char* key) {
  return json.is_object() ? json.value(key, Json()) : Json();
}

void Read(const Json& json, TrackRules* rules) {
  for (const auto& [key, member] : kPathSets) {
    for (std::string& path : TextsIn(Member(json, key))) (rules->*member).insert(std::move(path));
  }
  for (const auto& [key, member] : kPathLists) {
    for (std::string& path : TextsIn(Member(json, key)))
      AddOnce(std::move(path), &(rules->*member));
  }
  for (const NumberRule& rule : kNumberRules) {
    const Json numbers = Member(json, rule.key);
    for (const auto& [path, number] : numbers.items()) {
      if (number.is_number_unsigned() && number.get<uint64_t>() > 0)
        (rules->*rule.member)[path] =
            static_cast<uint32_t>(std::min<uint64_t>(number.get<uint64_t>(), rule.most));
    }
  }
  const Json names = Member(json, "names");
  for (const auto& [path, name] : names.items()) {
    if (name.is_string()) rules->names[path] = name.get<std::string>();
  }
  rules->filter = TextIn(json, "filter");
}

void Read(const Json& json, MutedRules* muted) {
  for (std::string& rule : TextsIn(Member(json, "everywhere")))
    muted->everywhere.insert(std::move(rule));
  for (const Json& one : Member(json, "in_programs")) {
    const std::optional<ProgramId> program = ParseProgramId(TextIn(one, "program"));
    if (program) muted->in_programs.push_back({TextIn(one, "rule"), *program});
  }
}

void Read(const Json& json, std::vector<KeyRule>* rules) {
  for (const Json& rule : json) rules->push_back({TextIn(rule, "command"), TextIn(rule, "keys")});
}

void Read(const Json& json, std::vector<std::string>* texts) { *texts = TextsIn(json); }

bool ParseNumber(std::string_view text, const SettingDesc& row, double* out) {
  const auto result = std::from_chars(text.data(), text.data() + text.size(), *out);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size() || std::isnan(*out))
    return false;
  *out = std::clamp(*out, row.min, row.max);
  return true;
}

bool ReadText(std::string_view text, const SettingDesc&, bool* out) {
  if (text != "true" && text != "false") return false;
  *out = text == "true";
  return true;
}

bool ReadText(std::string_view text, const SettingDesc& row, int* out) {
  double number = 0;
  if (!ParseNumber(text, row, &number)) return false;
  *out = static_cast<int>(std::lround(number));
  return true;
}

// A slider gives more digits than anybody sees.
bool ReadText(std::string_view text, const SettingDesc& row, double* out) {
  if (!ParseNumber(text, row, out)) return false;
  const std::string rounded = fmt::format("{:.6g}", *out);
  std::from_chars(rounded.data(), rounded.data() + rounded.size(), *out);
  return true;
}

bool ReadText(std::string_view text, const SettingDesc&, std::string* out) {
  *out = text.substr(0, text.find_first_of("\r\n"));
  return true;
}

// A choice, or a list: JSON or the form of version 0.2.
template <typename T>
bool ReadText(std::string_view text, const SettingDesc& row, T* out) {
  if constexpr (std::is_enum_v<T>) {
    const auto texts = ChoiceTexts(row.member);
    const auto found = std::find(texts.begin(), texts.end(), text);
    if (found == texts.end()) return false;
    *out = static_cast<T>(found - texts.begin());
  } else if (text.starts_with('{') || text.starts_with('[')) {
    const Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded()) return false;
    *out = {};
    Read(json, out);
  } else if (row.member == SettingMember(&Settings::queries)) {
    if constexpr (std::is_same_v<T, std::vector<std::string>>) *out = ParseOldQueries(text);
  } else {
    *out = {};
    ReadOldText(text, out);
  }
  return true;
}

}  // namespace

std::string KeyRulesText(const std::vector<KeyRule>& rules) {
  std::string text;
  for (const KeyRule& rule : rules) {
    text += (text.empty() ? "" : "; ") + rule.id;
    if (!rule.keys.empty()) text += "=" + rule.keys;
  }
  return text;
}

std::string SettingText(const Settings& settings, const SettingMember& member) {
  if (member == SettingMember(&Settings::custom_keys)) return KeyRulesText(settings.custom_keys);
  const Json json = ToJson(settings, member);
  return json.is_string() ? json.get<std::string>() : Dump(json, -1);
}

bool SetSetting(const SettingDesc& row, std::string_view text, Settings* settings) {
  return std::visit(
      [&](auto m) {
        std::remove_reference_t<decltype(settings->*m)> value{};
        if (!ReadText(text, row, &value)) return false;
        settings->*m = std::move(value);
        return true;
      },
      row.member);
}

std::string SettingsJson(const Settings& settings) {
  const Settings standard;
  Json json = Json::object();
  for (const SettingDesc& row : SettingRows()) {
    Json value = ToJson(settings, row.member);
    if (value != ToJson(standard, row.member)) json[row.key] = std::move(value);
  }
  for (const auto& [key, value] : settings.unknown) json[key] = Json::parse(value, nullptr, false);
  return Dump(json, 1) + "\n";
}

Settings ParseSettings(std::string_view text) {
  Settings settings;
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return ParseOldSettings(text);
  for (const auto& [key, value] : json.items()) {
    const SettingDesc* row = FindSetting(key);
    if (row != nullptr) {
      SetSetting(*row, value.is_string() ? value.get<std::string>() : Dump(value, -1), &settings);
    } else {
      settings.unknown[key] = Dump(value, -1);
    }
  }
  return settings;
}

}  // namespace stepscope
