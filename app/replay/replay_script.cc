#include "app/replay/replay_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <utility>

#include "app/command_line/options.h"
#include "model/base/number_pair.h"

namespace stepscope {
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

bool ReadSeconds(const std::string& word, ReplayStep* step) {
  char* end = nullptr;
  step->seconds = std::strtod(word.c_str(), &end);
  return !word.empty() && *end == 0 && step->seconds > 0 && step->seconds < 1e6;
}

// Fills a step from the words of its line. Returns what is wrong with them, or an empty text.
std::string ReadStep(const std::vector<std::string>& words, ReplayStep* step) {
  if (words[0] == "wait_idle") {
    step->kind = ReplayStep::Kind::kWaitIdle;
    const bool ok = words.size() == 1 || (words.size() == 2 && ReadSeconds(words[1], step));
    return ok ? "" : "wait_idle takes seconds, or nothing";
  }
  if (words[0] == "rest") {
    step->kind = ReplayStep::Kind::kRest;
    return words.size() == 2 && ReadSeconds(words[1], step) ? "" : "rest needs seconds";
  }
  if (words[0] == "resize") {
    step->kind = ReplayStep::Kind::kResize;
    const bool ok = words.size() == 2 && ParseSize(words[1], &step->size.width, &step->size.height);
    return ok ? "" : "resize needs a size such as 800x600";
  }
  if (IsInputVerb(words[0])) {
    step->kind = ReplayStep::Kind::kInput;
    return ReadInput(words, &step->input);
  }
  if (words[0] == "screenshot") {
    step->kind = ReplayStep::Kind::kScreenshot;
    if (words.size() != 2) return "screenshot needs the name of one file";
    step->path = words[1];
    return {};
  }
  const CommandDesc* command = FindCommand(words[0]);
  if (command == nullptr) return "there is no command '" + words[0] + "'";
  step->command.id = words[0];
  for (size_t i = 1; i < words.size(); ++i) {
    std::string wrong = ReadArgument(words[i], *command, &step->command.args);
    if (!wrong.empty()) return wrong;
  }
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
