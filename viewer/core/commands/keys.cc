#include "viewer/core/commands/keys.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <string>
#include <vector>

#include "model/base/ascii.h"
#include "viewer/core/commands/command.h"
#include "viewer/core/state/panel_list.h"

namespace stepscope {
namespace {

struct NamedKey {
  std::string name;
  ImGuiKey key;
};

std::vector<NamedKey> MakeNamedKeys() {
  std::vector<NamedKey> keys = {
      {"Left", ImGuiKey_LeftArrow}, {"Right", ImGuiKey_RightArrow},
      {"Up", ImGuiKey_UpArrow},     {"Down", ImGuiKey_DownArrow},
      {"Enter", ImGuiKey_Enter},    {"Escape", ImGuiKey_Escape},
      {"Space", ImGuiKey_Space},    {"Tab", ImGuiKey_Tab},
      {"Home", ImGuiKey_Home},      {"End", ImGuiKey_End},
      {"PageUp", ImGuiKey_PageUp},  {"PageDown", ImGuiKey_PageDown},
      {"Delete", ImGuiKey_Delete},  {"Backspace", ImGuiKey_Backspace},
      {",", ImGuiKey_Comma},        {".", ImGuiKey_Period},
      {"=", ImGuiKey_Equal},        {"-", ImGuiKey_Minus},
      {"[", ImGuiKey_LeftBracket},  {"]", ImGuiKey_RightBracket},
  };
  const auto add = [&](std::string name, int key) {
    keys.push_back({std::move(name), static_cast<ImGuiKey>(key)});
  };
  for (int i = 0; i < 26; ++i) add(std::string(1, static_cast<char>('A' + i)), ImGuiKey_A + i);
  for (int i = 0; i < 10; ++i) add(std::to_string(i), ImGuiKey_0 + i);
  for (int i = 0; i < 12; ++i) add("F" + std::to_string(i + 1), ImGuiKey_F1 + i);
  return keys;
}

// The keys that a chord may have.
const std::vector<NamedKey>& NamedKeys() {
  static const std::vector<NamedKey> keys = MakeNamedKeys();
  return keys;
}

ImGuiKey FindKey(std::string_view name) {
  for (const NamedKey& row : NamedKeys()) {
    if (row.name == name) return row.key;
  }
  return ImGuiKey_None;
}

bool Repeats(ImGuiKey key) {
  return (key >= ImGuiKey_LeftArrow && key <= ImGuiKey_DownArrow) || key == ImGuiKey_W ||
         key == ImGuiKey_A || key == ImGuiKey_S || key == ImGuiKey_D || key == ImGuiKey_Equal ||
         key == ImGuiKey_Minus || key == ImGuiKey_PageUp || key == ImGuiKey_PageDown;
}

bool ParseOne(std::string_view text, KeyChord* out) {
  if (text == "?" || text == "/" || text == ">") {
    out->character = static_cast<unsigned char>(text[0]);
    return true;
  }
  int mods = 0;
  for (;;) {
    const size_t plus = text.find('+');
    if (plus == std::string_view::npos || plus + 1 == text.size()) break;
    const std::string_view mod = text.substr(0, plus);
    if (mod == "Ctrl")
      mods |= ImGuiMod_Ctrl;
    else if (mod == "Shift")
      mods |= ImGuiMod_Shift;
    else if (mod == "Alt")
      mods |= ImGuiMod_Alt;
    else
      return false;
    text.remove_prefix(plus + 1);
  }
  const ImGuiKey key = FindKey(text);
  if (key == ImGuiKey_None) return false;
  out->chord = mods | static_cast<int>(key);
  out->repeat = Repeats(key);
  return true;
}

bool WorksWhileTyping(int chord) {
  const int key = chord & ~ImGuiMod_Mask_;
  if (key >= ImGuiKey_F1 && key <= ImGuiKey_F12) return true;
  // Ctrl with these keys edits the text.
  const bool edits = key == ImGuiKey_A || key == ImGuiKey_C || key == ImGuiKey_V ||
                     key == ImGuiKey_X || key == ImGuiKey_Z || key == ImGuiKey_Y ||
                     (key >= ImGuiKey_LeftArrow && key <= ImGuiKey_End);
  return (chord & (ImGuiMod_Ctrl | ImGuiMod_Alt)) != 0 && !edits;
}

}  // namespace

std::vector<KeyChord> ParseChords(std::string_view keys, bool* ok) {
  std::vector<KeyChord> out;
  *ok = true;
  while (!keys.empty()) {
    const size_t bar = keys.find(" | ");
    KeyChord chord;
    if (ParseOne(keys.substr(0, bar), &chord)) {
      out.push_back(chord);
    } else {
      *ok = false;
    }
    keys = bar == std::string_view::npos ? std::string_view() : keys.substr(bar + 3);
  }
  return out;
}

bool AltTap::Update() {
  const ImGuiContext& g = *ImGui::GetCurrentContext();
  const ImGuiIO& io = g.IO;
  const bool pressed = ImGui::IsKeyPressed(ImGuiKey_LeftAlt, false);
  if (pressed) alone_ = true;
  const bool other_key = !pressed && g.LastKeyboardKeyPressTime == g.Time;
  const bool mouse = ImGui::IsAnyMouseDown() || io.MouseWheel != 0 || io.MouseWheelH != 0;
  const bool typed = io.WantTextInput || !io.InputQueueCharacters.empty();
  if (other_key || mouse || typed || io.KeyCtrl || io.KeyShift || io.KeySuper || io.AppFocusLost)
    alone_ = false;
  const bool tapped = alone_ && ImGui::IsKeyReleased(ImGuiKey_LeftAlt);
  if (!ImGui::IsKeyDown(ImGuiKey_LeftAlt)) alone_ = false;
  return tapped;
}

std::string PressedChord() {
  const ImGuiIO& io = ImGui::GetIO();
  for (const ImWchar c : io.InputQueueCharacters) {
    if ((c == '?' || c == '/' || c == '>') && !io.KeyCtrl && !io.KeyAlt)
      return std::string(1, static_cast<char>(c));
  }
  std::string mods = io.KeyCtrl ? "Ctrl+" : "";
  mods += io.KeyShift ? "Shift+" : "";
  mods += io.KeyAlt ? "Alt+" : "";
  const auto pressed = [](ImGuiKey key) {
    return ImGui::IsKeyPressed(key, ImGuiInputFlags_None, ImGuiKeyOwner_Any);
  };
  for (const NamedKey& row : NamedKeys()) {
    if (pressed(row.key)) return mods + row.name;
  }
  return {};
}

double HoldSpeedAfter(double seconds) {
  if (seconds <= 0) return 1;
  const double share = std::min(1.0, seconds / kHoldSeconds);
  return kLeastHoldSpeed + (kMostHoldSpeed - kLeastHoldSpeed) * share;
}

double HoldSpeed(const KeyChord& chord) {
  const auto key = static_cast<ImGuiKey>(chord.chord & ~ImGuiMod_Mask_);
  if (!chord.repeat || key == ImGuiKey_None) return 1;
  return HoldSpeedAfter(static_cast<double>(ImGui::GetKeyData(key)->DownDuration));
}

bool Pressed(const KeyChord& chord) {
  const ImGuiIO& io = ImGui::GetIO();
  if (chord.character != 0) {
    if (io.WantTextInput || io.KeyCtrl || io.KeyAlt) return false;
    for (const ImWchar c : io.InputQueueCharacters) {
      if (static_cast<unsigned>(c) == chord.character) return true;
    }
    return false;
  }
  if (io.WantTextInput && !WorksWhileTyping(chord.chord)) return false;
  if ((chord.chord & ImGuiMod_Mask_) != (io.KeyMods & ImGuiMod_Mask_)) return false;
  // A focused table owns keys such as the arrows: they move its selection, not the timeline.
  const ImGuiInputFlags flags = chord.repeat ? ImGuiInputFlags_Repeat : ImGuiInputFlags_None;
  return ImGui::IsKeyPressed(static_cast<ImGuiKey>(chord.chord & ~ImGuiMod_Mask_), flags,
                             ImGuiKeyOwner_NoOwner);
}

namespace {

// The keys of a viewer that people come from.
struct PresetKey {
  KeyPreset preset;
  CommandId id;
  const char* keys;
};
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

namespace {

bool IsModifier(ImGuiKey key) {
  return (key & ImGuiMod_Mask_) != 0 || (key >= ImGuiKey_LeftCtrl && key <= ImGuiKey_RightSuper);
}

// The first event that must wait for the next frame.
ImGuiInputEvent* FirstToWait(ImVector<ImGuiInputEvent>& queue) {
  bool pressed = false;
  return std::find_if(queue.begin(), queue.end(), [&](const ImGuiInputEvent& event) {
    if (event.Type != ImGuiInputEventType_Key) return false;
    if (IsModifier(event.Key.Key)) return pressed;
    pressed = pressed || event.Key.Down;
    return false;
  });
}

}  // namespace

void NewFrameKeepingChords() {
  ImVector<ImGuiInputEvent>& queue = ImGui::GetCurrentContext()->InputEventsQueue;
  ImGuiInputEvent* first = FirstToWait(queue);
  const std::vector<ImGuiInputEvent> waiting(first, queue.end());
  queue.resize(static_cast<int>(first - queue.begin()));
  ImGui::NewFrame();
  for (const ImGuiInputEvent& event : waiting) queue.push_back(event);
}

bool InputWaits() { return !ImGui::GetCurrentContext()->InputEventsQueue.empty(); }

}  // namespace stepscope
