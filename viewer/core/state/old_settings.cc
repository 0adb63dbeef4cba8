#include "viewer/core/state/old_settings.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "model/base/ascii.h"

namespace stepscope {
namespace {

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

void AddTrackRule(std::string_view verb, std::string argument, TrackRules* out) {
  if (verb == "fold")
    out->folded.insert(std::move(argument));
  else if (verb == "unfold")
    out->unfolded.insert(std::move(argument));
  else if (verb == "hide")
    out->hidden.insert(std::move(argument));
  else if (verb == "pin")
    AddOnce(std::move(argument), &out->pinned);
  else if (verb == "order")
    AddOnce(std::move(argument), &out->order);
  else if (verb == "rows")
    AddNumber(argument, TrackRules::kMostRows, &out->rows);
  else if (verb == "name")
    AddName(argument, out);
  else if (verb == "color")
    AddNumber(argument, TrackRules::kMostColors, &out->colors);
  else if (verb == "filter")
    out->filter = std::move(argument);
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

}  // namespace

void AddOnce(std::string text, std::vector<std::string>* texts) {
  if (std::find(texts->begin(), texts->end(), text) == texts->end())
    texts->push_back(std::move(text));
}

void ReadOldText(std::string_view text, TrackRules* rules) {
  text = Trimmed(text);
  while (!text.empty()) {
    const std::string rule = TakeTrackRule(&text);
    const size_t space = rule.find(' ');
    if (space != std::string::npos && space + 1 < rule.size())
      AddTrackRule(std::string_view(rule).substr(0, space), rule.substr(space + 1), rules);
  }
}

void ReadOldText(std::string_view text, MutedRules* muted) {
  ForParts(text, ' ', [&](std::string_view rule) { muted->everywhere.emplace(rule); });
}

void ReadOldText(std::string_view text, std::vector<KeyRule>* rules) {
  ForParts(text, ';', [&](std::string_view rule) {
    const size_t equals = std::min(rule.find('='), rule.size());
    const size_t keys = std::min(equals + 1, rule.size());
    rules->push_back(
        {std::string(Trimmed(rule.substr(0, equals))), std::string(Trimmed(rule.substr(keys)))});
  });
}

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

Settings ParseOldSettings(std::string_view text) {
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
      settings.unknown[key] =
          nlohmann::json(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    }
  });
  settings.muted.in_programs = std::move(in_programs);
  return settings;
}

}  // namespace stepscope
