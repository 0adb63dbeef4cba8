// How a command declares its options. CLI11 is included by this folder alone, because it takes
// seconds to compile. A `name` is as CLI11 wants it: "--json", "-o,--output" or, without dashes, a
// positional argument. A `what` is one line of help.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/time.h"

namespace CLI {
class App;
}

namespace stepscope {

// Reads "12ms..15ms" or "1.5s..2s"; both ends are needed. nullopt for anything else.
std::optional<TimeRange> ParseRange(const std::string& text);
// Reads "1920x1080", each side 16 to 16384 pixels. Returns false, and leaves the sides as they are,
// for anything else.
bool ParseSize(const std::string& text, int* width, int* height);

// An option without a value.
void AddFlag(CLI::App& app, const char* name, bool* value, const char* what);
// An option with any text. `type` is what help calls the text.
void AddText(CLI::App& app, const char* name, std::string* value, const char* what,
             const char* type = "TEXT");
// An option with a whole number from `least` to `most`.
void AddNumber(CLI::App& app, const char* name, int* value, int least, int most, const char* what);
// The command cannot be used without an option that it has.
void Require(CLI::App& app, const char* name);
// Two options that the command has cannot be used together.
void Exclude(CLI::App& app, const char* name, const char* other);

// Takes the text of an option. Returns what is wrong with it, such as "is not a range", or an empty
// text.
using ReadOption = std::function<std::string(const std::string& text)>;

// An option with one value. `type` is what help calls the value.
void AddValue(CLI::App& app, const char* name, const char* type, const char* what, ReadOption read);
// An option that may be given several times; `read` takes each value.
void AddRepeated(CLI::App& app, const char* name, const char* type, const char* what,
                 ReadOption read);

void AddRange(CLI::App& app, TimeRange* range, const char* what);

// An option that takes one of a few words, in any case. `take` gets the index of the word in
// `words`. Help and the shells' completions list the words.
void AddWord(CLI::App& app, const char* name, const char* type, const char* what,
             const std::vector<std::string>& words, std::function<void(size_t index)> take);

// The same for the values of an enumeration.
template <typename Enum>
void AddChoice(CLI::App& app, const char* name, const char* type, Enum* value, const char* what,
               const std::vector<std::pair<std::string, Enum>>& choices) {
  std::vector<std::string> words;
  words.reserve(choices.size());
  for (const auto& choice : choices) words.push_back(choice.first);
  AddWord(app, name, type, what, words,
          [value, choices](size_t index) { *value = choices[index].second; });
}

}  // namespace stepscope
