// The values of settings as texts and as JSON, and the form that they had in version 0.2: lines
// "key = value", with a notation of its own for each list. Files of that version are read once and
// written as JSON; the command "app.set" still takes those texts.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <type_traits>
#include <utility>

#include "model/base/ascii.h"
#include "viewer/core/state/settings.h"

namespace stepscope {
namespace {

using Json = nlohmann::ordered_json;

// The members of TrackRules: their keys in JSON, and their verbs in version 0.2.
template <typename T>
struct RuleMember {
  const char *key, *verb;
  T TrackRules::*member;
  uint32_t most = 0;  // of a number
};
constexpr RuleMember<TrackRules::Paths> kPathSets[] = {
    {"folded", "fold", &TrackRules::folded},
    {"unfolded", "unfold", &TrackRules::unfolded},
    {"hidden", "hide", &TrackRules::hidden}};
constexpr RuleMember<std::vector<std::string>> kPathLists[] = {
    {"pinned", "pin", &TrackRules::pinned}, {"order", "order", &TrackRules::order}};
constexpr RuleMember<TrackRules::Numbers> kNumberRules[] = {
    {"rows", "rows", &TrackRules::rows, TrackRules::kMostRows},
    {"colors", "color", &TrackRules::colors, TrackRules::kMostColors}};

// Appends a text that the list does not have.
void AddOnce(std::string text, std::vector<std::string>* texts) {
  if (std::find(texts->begin(), texts->end(), text) == texts->end())
    texts->push_back(std::move(text));
}

// --- Lists in the form of version 0.2. Parts that are no rule are left out.
// Calls fn(part) for each part of the text between separators, without the blanks around it.
template <typename Fn>
void ForParts(std::string_view text, char separator, const Fn& fn) {
  while (!text.empty()) {
    const size_t end = std::min(text.find(separator), text.size());
    if (const std::string_view part = Trimmed(text.substr(0, end)); !part.empty()) fn(part);
    text.remove_prefix(std::min(text.size(), end + 1));
  }
}

// Removes the first rule of track rules, up to the next bare semicolon, and returns it without
// backslashes.
std::string TakeTrackRule(std::string_view* text) {
  std::string rule;
  size_t i = 0;
  for (; i < text->size() && (*text)[i] != ';'; ++i) {
    char c = (*text)[i];
    if (c == '\\' && i + 1 < text->size()) {
      c = (*text)[++i];
      c = c == 'n' ? '\n' : c == 'r' ? '\r' : c;
    }
    rule += c;
  }
  text->remove_prefix(std::min(text->size(), i + 1));
  while (text->starts_with(' ')) text->remove_prefix(1);
  return rule;
}

// "3 PATH"
void AddNumber(std::string_view argument, uint32_t most, TrackRules::Numbers* out) {
  uint32_t number = 0;
  const char* end = argument.data() + argument.size();
  const auto [after, error] = std::from_chars(argument.data(), end, number);
  if (error != std::errc() || after == end || *after != ' ' || number == 0) return;
  const std::string_view path(after + 1, static_cast<size_t>(end - after - 1));
  if (!path.empty()) (*out)[std::string(path)] = std::min(number, most);
}

void AddName(std::string_view argument, TrackRules* out) {
  const size_t tab = argument.find('\t');
  if (tab == 0 || tab == std::string_view::npos || tab + 1 == argument.size()) return;
  out->names[std::string(argument.substr(tab + 1))] = argument.substr(0, tab);
}

void AddTrackRule(std::string_view verb, const std::string& argument, TrackRules* out) {
  for (const auto& rule : kPathSets)
    if (verb == rule.verb) (out->*rule.member).insert(argument);
  for (const auto& rule : kPathLists)
    if (verb == rule.verb) AddOnce(argument, &(out->*rule.member));
  for (const auto& rule : kNumberRules)
    if (verb == rule.verb) AddNumber(argument, rule.most, &(out->*rule.member));
  if (verb == "name") AddName(argument, out);
  if (verb == "filter") out->filter = argument;
}

// "copies@ID sync@ID"
void ReadMutedInPrograms(std::string_view text, std::vector<MutedRules::InProgram>* muted) {
  ForParts(text, ' ', [&](std::string_view word) {
    const size_t at = word.find('@');
    if (at == std::string_view::npos) return;
    const std::optional<ProgramId> program = ParseProgramId(word.substr(at + 1));
    if (program) muted->push_back({std::string(word.substr(0, at)), *program});
  });
}

// "hide host|GPU 1; rows 3 host|Threads|main#7; filter stream": a rule is a verb and a path. A name
// stands before its path, with a tab between them. A backslash stands before a semicolon of a name.
void ReadOldText(std::string_view text, TrackRules* rules) {
  text = Trimmed(text);
  while (!text.empty()) {
    const std::string rule = TakeTrackRule(&text);
    const size_t space = rule.find(' ');
    if (space != std::string::npos && space + 1 < rule.size())
      AddTrackRule(std::string_view(rule).substr(0, space), rule.substr(space + 1), rules);
  }
}

// "copies sync"
void ReadOldText(std::string_view text, MutedRules* muted) {
  ForParts(text, ' ', [&](std::string_view rule) { muted->everywhere.emplace(rule); });
}

// "mark.add=B; view.zoom_in=W | =", which users still type in the settings page.
void ReadOldText(std::string_view text, std::vector<KeyRule>* rules) {
  ForParts(text, ';', [&](std::string_view rule) {
    const size_t equals = std::min(rule.find('='), rule.size());
    const size_t keys = std::min(equals + 1, rule.size());
    rules->push_back(
        {std::string(Trimmed(rule.substr(0, equals))), std::string(Trimmed(rule.substr(keys)))});
  });
}

// "a:1; b:2"
void ReadOldText(std::string_view text, std::vector<std::string>* texts) {
  ForParts(text, ';', [&](std::string_view part) { AddOnce(std::string(part), texts); });
}

std::vector<std::string> ParseOldQueries(std::string_view text) {
  std::vector<std::string> queries;
  std::string query;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      query += text[i];
    } else if (const char next = text[++i]; next != ';') {
      query += next == 'n' ? '\n' : next;
    } else if (std::string done = std::exchange(query, {}); !done.empty()) {
      queries.push_back(std::move(done));
    }
  }
  return queries;
}

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
  for (const auto& rule : kPathSets) set(rule.key, rules.*rule.member);
  for (const auto& rule : kPathLists) set(rule.key, rules.*rule.member);
  for (const auto& rule : kNumberRules) set(rule.key, rules.*rule.member);
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
  for (const auto& rule : kPathSets) {
    for (std::string& path : TextsIn(Member(json, rule.key)))
      (rules->*rule.member).insert(std::move(path));
  }
  for (const auto& rule : kPathLists) {
    for (std::string& path : TextsIn(Member(json, rule.key)))
      AddOnce(std::move(path), &(rules->*rule.member));
  }
  for (const auto& rule : kNumberRules) {
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

static Settings ParseOldSettings(std::string_view text) {
  Settings settings;
  std::vector<MutedRules::InProgram> in_programs;
  ForParts(text, '\n', [&](std::string_view line) {
    const size_t equals = line.find('=');
    if (line.starts_with('#') || equals == std::string_view::npos) return;
    const std::string key(Trimmed(line.substr(0, equals)));
    const std::string_view value = Trimmed(line.substr(equals + 1));
    if (key == "findings.muted_in_programs") {
      ReadMutedInPrograms(value, &in_programs);
    } else if (const SettingDesc* row = FindSetting(key)) {
      SetSetting(*row, value, &settings);
    } else if (!key.empty()) {
      settings.unknown[key] = Dump(Json(value), -1);
    }
  });
  settings.muted.in_programs = std::move(in_programs);
  return settings;
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
