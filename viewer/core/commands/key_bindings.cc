#include "viewer/core/commands/key_bindings.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/ascii.h"
#include "viewer/core/commands/command.h"
#include "viewer/core/commands/key_chord.h"
#include "viewer/core/state/panel_list.h"

namespace stepscope {
namespace {

// Sources: the viewers' own help and code. Commands that they lack keep our keys.
constexpr PresetKey kPresets[] = {
    {KeyPreset::kPerfetto, "select.flow_next", "]"},
    {KeyPreset::kPerfetto, "select.flow_previous", "["},
    {KeyPreset::kPerfetto, "select.next_same", "Shift+."},
    {KeyPreset::kPerfetto, "select.previous_same", "Shift+,"},
    {KeyPreset::kPerfetto, "measure.selection", "M | R"},
    {KeyPreset::kXprof, "view.pan_right", "D | E | Right"},
    {KeyPreset::kXprof, "view.zoom_in", "W | ="},
    {KeyPreset::kXprof, "view.zoom_out", "S | O | -"},
    {KeyPreset::kXprof, "select.flow_next", "Shift+O"},
    {KeyPreset::kXprof, "select.next", ". | Tab"},
    {KeyPreset::kTracy, "search.focus", "Ctrl+F | /"},
    {KeyPreset::kTracy, "view.zoom_selection", "F | Z"},
    {KeyPreset::kNsight, "view.zoom_selection", "Z | F"},
    {KeyPreset::kNsight, "view.back", "Backspace | Ctrl+Z | Alt+Left"},
    {KeyPreset::kNsight, "search.focus", "Ctrl+F | /"},
};

bool IsKnown(std::string_view id) {
  return FindCommand(id) != nullptr ||
         (id.starts_with("panel.") && FindPanel(id.substr(6)) != nullptr);
}

// The chords of a text such as "W | =", as they are written.
std::vector<std::string> Split(std::string_view keys) {
  std::vector<std::string> out;
  while (!keys.empty()) {
    const size_t end = std::min(keys.find(" | "), keys.size());
    if (const std::string_view one = Trimmed(keys.substr(0, end)); !one.empty())
      out.emplace_back(one);
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

}  // namespace

std::vector<KeyRule> WithKeys(std::vector<KeyRule> custom, const std::string& id,
                              const std::optional<std::string>& keys) {
  std::erase_if(custom, [&](const KeyRule& rule) { return rule.id == id; });
  // The rule comes last, so that it takes its keys from those before it.
  if (keys) custom.push_back({id, *keys});
  return custom;
}

bool HasRule(const std::vector<KeyRule>& custom, std::string_view id) {
  return std::any_of(custom.begin(), custom.end(),
                     [id](const KeyRule& rule) { return rule.id == id; });
}

std::span<const PresetKey> PresetKeys() { return kPresets; }

bool KeyBindings::Update(const Settings& settings) {
  if (settings.key_preset == preset_ && settings.custom_keys == custom_) return false;
  Rebuild(settings.key_preset, settings.custom_keys);
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

void KeyBindings::Rebuild(KeyPreset preset, const std::vector<KeyRule>& custom) {
  preset_ = preset;
  custom_ = custom;
  keys_.clear();
  notes_.clear();
  for (const CommandDesc& command : Commands()) keys_[command.id.text()] = command.keys;
  for (const PanelDesc& panel : Panels()) keys_["panel." + std::string(panel.id)] = panel.key;
  for (const PresetKey& row : kPresets) {
    if (preset == row.preset) Bind(row.id.text(), row.keys, false);
  }
  for (const KeyRule& rule : custom) {
    bool ok = true;
    ParseChords(rule.keys, &ok);
    if (IsKnown(rule.id) && ok) {
      Bind(rule.id, rule.keys, true);
    } else {
      notes_.push_back("not a binding: " + KeyRulesText({rule}));
    }
  }
}

}  // namespace stepscope
