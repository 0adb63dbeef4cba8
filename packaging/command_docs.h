// The manual page and the completions of shells, made from the options that the command line is
// parsed with. make_docs.cc calls it when packages are built; the program does not.
#pragma once

#include <string>
#include <vector>

#include "app/command_line/command_line.h"

namespace stepscope {

struct OptionDoc {
  std::vector<std::string> names;  // "-o", "--output"
  std::string value;               // "FILE"; empty: a flag
  std::string what;
  std::vector<std::string> choices;  // the values, if they are a fixed set
  bool file = false;                 // the value is a path
  bool required = false;
};

struct CommandDoc {
  std::string name;         // empty: the program without a command
  std::string positionals;  // "COMMANDS [PATH...]"
  std::string what;
  std::vector<OptionDoc> options;
};

// The program first, then its commands, in the order of the rows.
std::vector<CommandDoc> ReadCommands(ProgramCommandDescs commands);

std::string ManPage(const std::vector<CommandDoc>& commands, const std::string& version);
std::string BashCompletion(const std::vector<CommandDoc>& commands);
std::string ZshCompletion(const std::vector<CommandDoc>& commands);
std::string FishCompletion(const std::vector<CommandDoc>& commands);

}  // namespace stepscope
