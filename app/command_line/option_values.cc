#include "app/command_line/option_values.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>

#include "model/base/ascii.h"

namespace stepscope {
namespace {

constexpr int kMinSide = 16, kMaxSide = 16384;

// Joins words as in "name, track or step".
std::string Listed(const std::vector<std::string>& words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

// Reads a value; throws CLI::ValidationError if it is wrong.
void Read(const char* name, const std::string& text, const ReadOption& read) {
  if (const std::string wrong = read(text); !wrong.empty())
    throw CLI::ValidationError(name, "'" + text + "' " + wrong);
}

}  // namespace

std::optional<TimeRange> ParseRange(const std::string& text) {
  const size_t dots = text.find("..");
  if (dots == std::string::npos) return std::nullopt;
  TimeRange range;
  if (!ParseDuration(text.substr(0, dots), &range.begin) ||
      !ParseDuration(text.substr(dots + 2), &range.end) || range.empty()) {
    return std::nullopt;
  }
  return range;
}

bool ParseSize(const std::string& text, int* width, int* height) {
  int w = 0, h = 0;
  const char* end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, w);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != 'x') return false;
  const auto second = std::from_chars(first.ptr + 1, end, h);
  if (second.ec != std::errc() || second.ptr != end) return false;
  if (w < kMinSide || w > kMaxSide || h < kMinSide || h > kMaxSide) return false;
  *width = w;
  *height = h;
  return true;
}

void AddFlag(CLI::App& app, const char* name, bool* value, const char* what) {
  app.add_flag(name, *value, what);
}

void AddText(CLI::App& app, const char* name, std::string* value, const char* what,
             const char* type) {
  app.add_option(name, *value, what)->type_name(type);
}

void AddNumber(CLI::App& app, const char* name, int* value, int least, int most, const char* what) {
  app.add_option(name, *value, what)
      ->type_name("N")
      ->check(CLI::Range(least, most).description(""));
}

void Require(CLI::App& app, const char* name) { app.get_option(name)->required(); }

void Exclude(CLI::App& app, const char* name, const char* other) {
  app.get_option(name)->excludes(app.get_option(other));
}

void AddValue(CLI::App& app, const char* name, const char* type, const char* what,
              ReadOption read) {
  app.add_option_function<std::string>(
         name, [name, read = std::move(read)](const std::string& text) { Read(name, text, read); },
         what)
      ->type_name(type);
}

void AddRepeated(CLI::App& app, const char* name, const char* type, const char* what,
                 ReadOption read) {
  app.add_option_function<std::vector<std::string>>(
         name,
         [name, read = std::move(read)](const std::vector<std::string>& texts) {
           for (const std::string& text : texts) Read(name, text, read);
         },
         what)
      ->type_name(type)
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);  // what follows is a path
}

void AddRange(CLI::App& app, TimeRange* range, const char* what) {
  AddValue(app, "--range", "A..B", what, [range](const std::string& text) -> std::string {
    const std::optional<TimeRange> parsed = ParseRange(text);
    if (!parsed) return "is not a range; write it as 12ms..15ms";
    *range = *parsed;
    return {};
  });
}

void AddWord(CLI::App& app, const char* name, const char* type, const char* what,
             const std::vector<std::string>& words, std::function<void(size_t index)> take) {
  const auto index = [words](const std::string& text) {
    return static_cast<size_t>(std::find(words.begin(), words.end(), Lower(text)) - words.begin());
  };
  const auto check = [index, words](const std::string& text) {
    return index(text) < words.size() ? std::string()
                                      : "'" + text + "' is no such value; write " + Listed(words);
  };
  std::vector<std::string> sorted = words;
  std::sort(sorted.begin(), sorted.end());
  std::string names;
  for (const std::string& word : sorted) names += (names.empty() ? "{" : ",") + word;
  app.add_option_function<std::string>(
         name, [index, take = std::move(take)](const std::string& text) { take(index(text)); },
         what)
      ->check(CLI::Validator(check, names + "}"))
      ->type_name(type);
}

}  // namespace stepscope
