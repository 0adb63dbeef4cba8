#include "app/replay/replay_script.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>

#include "app/command_line/command_line.h"
#include "app/window/gui.h"
#include "model/base/digits.h"

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

namespace {

// Splits a line into words; quotes keep blanks. nullopt if a quote is not closed.
std::optional<std::vector<std::string>> SplitWords(std::string_view line) {
  std::vector<std::string> words;
  bool in_word = false, quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    char c = line[i];
    if (!quoted && (c == ' ' || c == '\t' || c == '\r')) {
      in_word = false;
      continue;
    }
    if (!in_word) {
      if (c == '#') break;
      words.emplace_back();
      in_word = true;
    }
    if (c == '"') {
      quoted = !quoted;
      continue;
    }
    if (quoted && c == '\\' && i + 1 < line.size()) c = line[++i];
    words.back() += c;
  }
  if (quoted) return std::nullopt;
  return words;
}

// Reads "SET.ROW", an event of the active profile.
bool ParseEvent(std::string_view text, EventRef* event) {
  uint32_t set = 0, row = 0;
  if (!ParsePair(text, '.', &set, &row)) return false;
  *event = {ProfileId(), set, EventRow(row)};
  return true;
}

bool ParseEvents(std::string_view text, std::vector<EventRef>* events) {
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find(','));
    if (!ParseEvent(one, &events->emplace_back())) return false;
    text.remove_prefix(std::min(one.size() + 1, text.size()));
  }
  return !events->empty();
}

// Reads one "key=value". Returns what is wrong with it, or an empty text.
std::string ReadArgument(const std::string& word, const CommandDesc& command, CommandArgs* args) {
  const size_t equals = word.find('=');
  if (equals == std::string::npos) return "'" + word + "' is not of the form key=value";
  const std::string key = word.substr(0, equals), value = word.substr(equals + 1);
  if (key == "text") {
    args->text = value;
  } else if (key == "range") {
    const std::optional<TimeRange> range = ParseRange(value);
    if (!range) return "'" + value + "' is not a range; write it as 12ms..15ms";
    args->range = *range;
  } else if (key == "paths") {
    args->paths.push_back(value);
  } else if (key == "number") {
    char* end = nullptr;
    const double number = std::strtod(value.c_str(), &end);
    if (value.empty() || *end) return "'" + value + "' is not a number";
    SetNumber(command, number, args);
  } else if (key == "run") {
    uint32_t profile = 0;
    const char* last = value.data() + value.size();
    const auto [end, error] = std::from_chars(value.data(), last, profile);
    if (error != std::errc() || end != last) return "'" + value + "' is not the number of a run";
    args->profile = ProfileId(profile);
  } else if (key == "event") {
    if (!ParseEvent(value, &args->event))
      return "'" + value + "' is not an event; write it as SET.ROW";
  } else if (key == "events") {
    if (!ParseEvents(value, &args->events))
      return "'" + value + "' are no events; write them as SET.ROW,SET.ROW";
  } else {
    return "'" + key + "' is none of text, paths, range, number, run, event and events";
  }
  return {};
}

bool ReadSeconds(const std::string& word, double* seconds) {
  char* end = nullptr;
  *seconds = std::strtod(word.c_str(), &end);
  return !word.empty() && *end == 0 && *seconds > 0 && *seconds < 1e6;
}

// Fills a step from the words of its line. Returns what is wrong with them, or an empty text.
std::string ReadStep(const std::vector<std::string>& words, ReplayStep* step) {
  if (words[0] == "wait_idle") {
    double* seconds = &step->action.emplace<WaitIdle>().seconds;
    const bool ok = words.size() == 1 || (words.size() == 2 && ReadSeconds(words[1], seconds));
    return ok ? "" : "wait_idle takes seconds, or nothing";
  }
  if (words[0] == "rest") {
    double* seconds = &step->action.emplace<Rest>().seconds;
    return words.size() == 2 && ReadSeconds(words[1], seconds) ? "" : "rest needs seconds";
  }
  if (words[0] == "resize") {
    PixelSize& size = step->action.emplace<Resize>().size;
    const bool ok = words.size() == 2 && ParseSize(words[1], &size.width, &size.height);
    return ok ? "" : "resize needs a size such as 800x600";
  }
  if (IsInputVerb(words[0])) return ReadInput(words, &step->action.emplace<ReplayInput>());
  if (words[0] == "screenshot") {
    if (words.size() != 2) return "screenshot needs the name of one file";
    step->action = Screenshot{words[1]};
    return {};
  }
  const CommandDesc* desc = FindCommand(words[0]);
  if (desc == nullptr) return "there is no command '" + words[0] + "'";
  Command command{desc->id};
  for (size_t i = 1; i < words.size(); ++i) {
    std::string wrong = ReadArgument(words[i], *desc, &command.args);
    if (!wrong.empty()) return wrong;
  }
  step->action = std::move(command);
  return {};
}

}  // namespace

Result<std::vector<ReplayStep>> ParseReplay(std::string_view text) {
  std::vector<ReplayStep> steps;
  for (int number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    const auto words = SplitWords(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!words) return Status(ErrorCode::kUsage, fmt::format("line {}: a quote is open", number));
    if (words->empty()) continue;
    ReplayStep step;
    step.line = number;
    if (std::string wrong = ReadStep(*words, &step); !wrong.empty()) {
      return Status(ErrorCode::kUsage, fmt::format("line {}: {}", number, wrong));
    }
    steps.push_back(std::move(step));
  }
  return steps;
}

}  // namespace stepscope
