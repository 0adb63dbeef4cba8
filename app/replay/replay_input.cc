#include "app/replay/replay_input.h"

#include <imgui.h>

#include <charconv>
#include <cmath>
#include <string_view>

#include "app/window/gui.h"

namespace stepscope {
namespace {

using Kind = ReplayInput::Kind;

struct Verb {
  std::string_view name;
  Kind kind;
  size_t least, most;  // words after it
  const char* usage;
};
constexpr Verb kVerbs[] = {
    {"mouse", Kind::kMouse, 2, 2, "mouse needs X and Y"},
    {"mouse_down", Kind::kDown, 1, 1, "mouse_down needs left, right or middle"},
    {"mouse_up", Kind::kUp, 1, 1, "mouse_up needs left, right or middle"},
    {"wheel", Kind::kWheel, 1, 2, "wheel needs notches up, and perhaps to the left"},
    {"key", Kind::kKey, 1, 1, "key needs a chord, such as Ctrl+Z"},
    {"hold", Kind::kHold, 1, 1, "hold needs Ctrl, Shift, Alt with + between them, or none"},
    {"type", Kind::kType, 1, 1, "type needs one text"},
};
constexpr std::string_view kButtons[] = {"left", "right", "middle"};
struct Modifier {
  std::string_view name;
  ImGuiKey key;
};
constexpr Modifier kModifiers[] = {
    {"Ctrl", ImGuiMod_Ctrl}, {"Shift", ImGuiMod_Shift}, {"Alt", ImGuiMod_Alt}};

const Verb* FindVerb(std::string_view word) {
  for (const Verb& verb : kVerbs) {
    if (verb.name == word) return &verb;
  }
  return nullptr;
}

bool ReadNumber(const std::string& text, float* out) {
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, *out);
  return read.ec == std::errc() && read.ptr == end && std::isfinite(*out);
}

bool ReadButton(const std::string& text, int* button) {
  for (size_t i = 0; i < std::size(kButtons); ++i) {
    if (kButtons[i] == text) *button = static_cast<int>(i);
    if (kButtons[i] == text) return true;
  }
  return false;
}

bool ReadModifiers(std::string_view text, int* modifiers) {
  *modifiers = 0;
  if (text == "none") return true;
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find('+'));
    const int before = *modifiers;
    for (const Modifier& modifier : kModifiers) {
      if (modifier.name == one) *modifiers |= modifier.key;
    }
    if (*modifiers == before) return false;
    text.remove_prefix(std::min(one.size() + 1, text.size()));
  }
  return *modifiers != 0;
}

bool ReadChord(const std::string& text, KeyChord* chord) {
  bool ok = false;
  const std::vector<KeyChord> chords = ParseChords(text, &ok);
  if (!ok || chords.size() != 1) return false;
  *chord = chords.front();
  return true;
}

bool ReadWords(const std::vector<std::string>& words, ReplayInput* input) {
  switch (input->kind) {
    case Kind::kMouse:
      return ReadNumber(words[1], &input->x) && ReadNumber(words[2], &input->y);
    case Kind::kWheel:
      return ReadNumber(words[1], &input->y) &&
             (words.size() == 2 || ReadNumber(words[2], &input->x));
    case Kind::kDown:
    case Kind::kUp:
      return ReadButton(words[1], &input->button);
    case Kind::kKey:
      return ReadChord(words[1], &input->chord);
    case Kind::kHold:
      return ReadModifiers(words[1], &input->modifiers);
    case Kind::kType:
      input->text = words[1];
      return true;
  }
  return false;
}

void HoldModifiers(int modifiers) {
  for (const Modifier& modifier : kModifiers)
    ImGui::GetIO().AddKeyEvent(modifier.key, (modifiers & modifier.key) != 0);
}

void PlayKey(const KeyChord& chord, Gui* gui) {
  ImGuiIO& io = ImGui::GetIO();
  if (chord.character != 0) {
    io.AddInputCharacter(chord.character);
    gui->DrawFrame();
    return;
  }
  const int held = io.KeyMods;
  const auto key = static_cast<ImGuiKey>(chord.chord & ~ImGuiMod_Mask_);
  HoldModifiers(held | (chord.chord & ImGuiMod_Mask_));
  io.AddKeyEvent(key, true);
  gui->DrawFrame();
  io.AddKeyEvent(key, false);
  HoldModifiers(held);
  gui->DrawFrame();
}

}  // namespace

bool IsInputVerb(const std::string& word) { return FindVerb(word) != nullptr; }

std::string ReadInput(const std::vector<std::string>& words, ReplayInput* input) {
  const Verb* verb = FindVerb(words.front());
  if (verb == nullptr) return "'" + words.front() + "' is no verb of mouse or keyboard";
  input->kind = verb->kind;
  const size_t given = words.size() - 1;
  const bool ok = given >= verb->least && given <= verb->most && ReadWords(words, input);
  return ok ? "" : verb->usage;
}

void Play(const ReplayInput& input, Gui* gui) {
  ImGuiIO& io = ImGui::GetIO();
  switch (input.kind) {
    case Kind::kMouse:
      io.AddMousePosEvent(input.x, input.y);
      break;
    case Kind::kDown:
    case Kind::kUp:
      io.AddMouseButtonEvent(input.button, input.kind == Kind::kDown);
      break;
    case Kind::kWheel:
      io.AddMouseWheelEvent(input.x, input.y);
      break;
    case Kind::kHold:
      HoldModifiers(input.modifiers);
      break;
    case Kind::kType:
      io.AddInputCharactersUTF8(input.text.c_str());
      break;
    case Kind::kKey:
      PlayKey(input.chord, gui);
      return;
  }
  gui->DrawFrame();
}

}  // namespace stepscope
