// Command lines, parsed as the program parses them.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "app/commands/registry.h"

namespace stepscope {

inline ParsedCommandLine Parse(std::vector<const char*> words) {
  words.insert(words.begin(), "stepscope");
  return ParseCommandLine(ProgramCommands(), static_cast<int>(words.size()), words.data());
}

// The options of a command line that is right and names the command that has such options.
template <typename Options>
const Options& OptionsOf(const ParsedCommandLine& parsed) {
  CAPTURE(parsed.text);
  const auto* command = dynamic_cast<const CommandWith<Options>*>(parsed.command.get());
  REQUIRE(command != nullptr);
  return command->options();
}

inline void CheckUsageError(const std::vector<const char*>& words, const std::string& mentions) {
  const ParsedCommandLine parsed = Parse(words);
  CAPTURE(mentions);
  CAPTURE(parsed.text);
  CHECK(parsed.command == nullptr);
  CHECK(parsed.exit_code == 2);
  CHECK(parsed.text.find(mentions) != std::string::npos);
  CHECK(parsed.text.find('\n') == std::string::npos);
}

}  // namespace stepscope
