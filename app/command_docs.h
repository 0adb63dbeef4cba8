// The manual page and the completions of shells, from the table that the command line is parsed
// with, so that they cannot say anything else. Not part of the program: packaging/make_docs.cc runs
// it when building.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace stepscope {

struct OptionDoc {
  std::vector<std::string> names;  // "-o", "--output"
  std::string value;               // "FILE"; empty: a flag
  std::string what;
  std::vector<std::string> choices;  // values, where they are known
  bool file = false;                 // the value is a path
};

struct CommandDoc {
  std::string name;         // empty: the program without a command
  std::string positionals;  // "COMMANDS [PATH...]"
  std::string what;
  std::vector<OptionDoc> options;
};

// The program first, then its commands in the order of --help.
std::vector<CommandDoc> ReadCommands(const CLI::App& app);

std::string ManPage(const std::vector<CommandDoc>& commands, const std::string& version);
std::string BashCompletion(const std::vector<CommandDoc>& commands);
std::string ZshCompletion(const std::vector<CommandDoc>& commands);
std::string FishCompletion(const std::vector<CommandDoc>& commands);

}  // namespace stepscope
