#include "viewer/core/commands/key_bindings.h"

#include <fmt/format.h>

#include <algorithm>

#include "viewer/core/commands/command.h"
#include "viewer/core/commands/key_chord.h"
#include "viewer/core/state/panel_list.h"
#include "viewer/core/state/settings.h"

namespace stepscope {
namespace {

// Sources: the viewers' own help and code. Commands that they lack keep our keys.
constexpr PresetKey kPresets[] = {
    {"Perfetto", "select.flow_next", "]"},
    {"Perfetto", "select.flow_previous", "["},
    {"Perfetto", "select.next_same", "Shift+."},
    {"Perfetto", "select.previous_same", "Shift+,"},
    {"Perfetto", "measure.selection", "M | R"},
    {"XProf", "view.pan_right", "D | E | Right"},
    {"XProf", "view.zoom_in", "W | ="},
    {"XProf", "view.zoom_out", "S | O | -"},
    {"XProf", "select.flow_next", "Shift+O"},
    {"XProf", "select.next", ". | Tab"},
    {"Tracy", "search.focus", "Ctrl+F | /"},
    {"Tracy", "view.zoom_selection", "F | Z"},
    {"Nsight", "view.zoom_selection", "Z | F"},
    {"Nsight", "view.back", "Backspace | Ctrl+Z | Alt+Left"},
    {"Nsight", "search.focus", "Ctrl+F | /"},
};

std::string_view Trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

bool IsKnown(std::string_view id) {
  return FindCommand(id) != nullptr ||
         (id.starts_with("panel.") && FindPanel(id.substr(6)) != nullptr);
}

// The chords of a text such as "W | =", as they are written.
std::vector<std::string> Split(std::string_view keys) {
  std::vector<std::string> out;
  while (!keys.empty()) {
    const size_t end = std::min(keys.find(" | "), keys.size());
    if (const std::string_view one = Trim(keys.substr(0, end)); !one.empty()) out.emplace_back(one);
    keys.remove_prefix(std::min(keys.size(), end + 3));
  }
  return out;
}

std::string Join(const std::vector<std::string>& chords) {
  std::string out;
  for (const std::string& chord : chords) out += (out.empty() ? "" : " | ") + chord;
  return out;
}

bool SameChord(const std::string& a, const std::string& b) {
  bool ok = true;
  const std::vector<KeyChord> x = ParseChords(a, &ok), y = ParseChords(b, &ok);
  return ok && x.size() == 1 && y.size() == 1 && x[0].chord == y[0].chord &&
         x[0].character == y[0].character;
}

// Takes the next rule off a text, without the blanks around it.
std::string_view TakeRule(std::string_view* rest) {
  const size_t end = std::min(rest->find(';'), rest->size());
  const std::string_view rule = Trim(rest->substr(0, end));
  rest->remove_prefix(std::min(rest->size(), end + 1));
  return rule;
}

std::string_view IdOf(std::string_view rule) { return Trim(rule.substr(0, rule.find('='))); }

}  // namespace

std::string WithKeys(std::string_view custom, std::string_view id,
                     const std::optional<std::string>& keys) {
  std::string out;
  const auto add = [&out](std::string_view rule) {
    if (!out.empty()) out += "; ";
    out += rule;
  };
  while (!custom.empty()) {
    const std::string_view rule = TakeRule(&custom);
    if (!rule.empty() && IdOf(rule) != id) add(rule);
  }
  // The rule comes last, so that it takes its keys from those before it.
  if (keys) add(std::string(id) + "=" + *keys);
  return out;
}

bool HasRule(std::string_view custom, std::string_view id) {
  while (!custom.empty()) {
    if (IdOf(TakeRule(&custom)) == id) return true;
  }
  return false;
}

std::span<const PresetKey> PresetKeys() { return kPresets; }

bool KeyBindings::Update(const Settings& settings) {
  const std::string &preset = settings.Get("keys.preset"), &custom = settings.Get("keys.custom");
  if (preset == preset_ && custom == custom_) return false;
  Rebuild(preset, custom);
  return true;
}

const std::string& KeyBindings::Of(std::string_view id) const {
  static const std::string kNone;
  const auto found = keys_.find(id);
  return found == keys_.end() ? kNone : found->second;
}

std::string KeyBindings::OwnerOf(const std::string& chord) const {
  for (const auto& [id, keys] : keys_) {
    for (const std::string& own : Split(keys)) {
      if (SameChord(own, chord)) return id;
    }
  }
  return {};
}

void KeyBindings::Bind(const std::string& id, const std::string& keys, bool say) {
  const std::vector<std::string> wanted = Split(keys);
  for (auto& [other, bound] : keys_) {
    if (other == id) continue;
    std::vector<std::string> left = Split(bound);
    const size_t had = left.size();
    std::erase_if(left, [&](const std::string& chord) {
      return std::any_of(wanted.begin(), wanted.end(),
                         [&](const std::string& w) { return SameChord(w, chord); });
    });
    if (left.size() == had) continue;
    bound = Join(left);
    if (say) notes_.push_back(fmt::format("{} was that of {}", keys, other));
  }
  keys_[id] = keys;
}

void KeyBindings::Rebuild(const std::string& preset, const std::string& custom) {
  preset_ = preset;
  custom_ = custom;
  keys_.clear();
  notes_.clear();
  for (const CommandDesc& command : Commands()) keys_[command.id] = command.keys;
  for (const PanelDesc& panel : Panels()) keys_["panel." + std::string(panel.id)] = panel.key;
  for (const PresetKey& row : kPresets) {
    if (preset == row.preset) Bind(row.id, row.keys, false);
  }
  std::string_view rest = custom;
  while (!rest.empty()) {
    const std::string_view rule = TakeRule(&rest);
    const size_t equals = rule.find('=');
    if (rule.empty()) continue;
    const std::string id(IdOf(rule));
    const std::string keys(equals == rule.npos ? "" : Trim(rule.substr(equals + 1)));
    bool ok = true;
    ParseChords(keys, &ok);
    if (!IsKnown(id) || !ok) {
      notes_.push_back("not a binding: " + std::string(rule));
    } else {
      Bind(id, keys, true);
    }
  }
}

}  // namespace stepscope
