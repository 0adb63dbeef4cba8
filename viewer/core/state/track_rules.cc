#include "viewer/core/state/track_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace stepscope {
namespace {

constexpr uint32_t kMostRows = 10'000, kMostColors = 99;

// Names may hold any character. A backslash stands before those that end a rule or a line.
void AddRule(std::string_view verb, std::string_view path, std::string* out) {
  if (!out->empty()) *out += "; ";
  *out += verb;
  *out += ' ';
  for (const char c : path) {
    if (c == '\n' || c == '\r') {
      *out += c == '\n' ? "\\n" : "\\r";
      continue;
    }
    if (c == ';' || c == '\\') *out += '\\';
    *out += c;
  }
}

// Takes the text up to the next bare semicolon, without the backslashes.
std::string TakeRule(std::string_view* text) {
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

void AddOnce(std::string path, std::vector<std::string>* out) {
  if (std::find(out->begin(), out->end(), path) == out->end()) out->push_back(std::move(path));
}

// "3 PATH"
void AddNumber(std::string_view argument, uint32_t most,
               std::map<std::string, uint32_t, std::less<>>* out) {
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

}  // namespace

bool TrackRules::empty() const { return *this == TrackRules(); }

std::string ToText(const TrackRules& rules) {
  std::string out;
  for (const std::string& path : rules.folded) AddRule("fold", path, &out);
  for (const std::string& path : rules.unfolded) AddRule("unfold", path, &out);
  for (const std::string& path : rules.hidden) AddRule("hide", path, &out);
  for (const std::string& path : rules.pinned) AddRule("pin", path, &out);
  for (const std::string& path : rules.order) AddRule("order", path, &out);
  for (const auto& [path, rows] : rules.rows) AddRule("rows " + std::to_string(rows), path, &out);
  for (const auto& [path, name] : rules.names)
    AddRule("name", fmt::format("{}\t{}", name, path), &out);
  for (const auto& [path, color] : rules.colors)
    AddRule("color " + std::to_string(color), path, &out);
  if (!rules.filter.empty()) AddRule("filter", rules.filter, &out);
  return out;
}

TrackRules ParseTrackRules(std::string_view text) {
  TrackRules out;
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (!text.empty()) {
    const std::string rule = TakeRule(&text);
    const size_t space = rule.find(' ');
    if (space == std::string::npos || space + 1 == rule.size()) continue;
    const std::string_view verb = std::string_view(rule).substr(0, space);
    std::string argument = rule.substr(space + 1);
    if (verb == "fold")
      out.folded.insert(std::move(argument));
    else if (verb == "unfold")
      out.unfolded.insert(std::move(argument));
    else if (verb == "hide")
      out.hidden.insert(std::move(argument));
    else if (verb == "pin")
      AddOnce(std::move(argument), &out.pinned);
    else if (verb == "order")
      AddOnce(std::move(argument), &out.order);
    else if (verb == "rows")
      AddNumber(argument, kMostRows, &out.rows);
    else if (verb == "name")
      AddName(argument, &out);
    else if (verb == "color")
      AddNumber(argument, kMostColors, &out.colors);
    else if (verb == "filter")
      out.filter = std::move(argument);
  }
  return out;
}

}  // namespace stepscope
