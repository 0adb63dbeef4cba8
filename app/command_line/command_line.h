// The command line: which command to run with which options. Parsing and the documents that are
// made from the options (packaging/command_docs.h) use the same grammar, which CLI11 holds. Start
// reading at ParseCommandLine(); app/commands/ has the commands.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/command_line/program_command.h"
#include "app/command_line/shared_options.h"

namespace stepscope {

using ProgramCommandDescs = std::span<const ProgramCommandDesc* const>;

// The result of parsing: a command to run, or a text to print before the exit.
struct ParsedCommandLine {
  std::unique_ptr<ProgramCommand> command;  // null: print `text`
  InputOptions input;
  bool verbose = false;
  int exit_code = 0;  // without a command
  std::string text;   // help or version for stdout (exit_code 0), else one line for stderr
};

// One of `commands` has no name: it is what the program does without a command.
ParsedCommandLine ParseCommandLine(ProgramCommandDescs commands, int argc, const char* const* argv);

// The values that parsing fills in.
struct CommandLineValues {
  InputOptions input;
  bool verbose = false;
  std::vector<std::unique_ptr<ProgramCommand>> commands;  // one for each row
};

// Adds the options and subcommands of all rows to an empty app. `values` must live as long as the
// app.
void AddCommandLine(ProgramCommandDescs commands, CLI::App* app, CommandLineValues* values);

}  // namespace stepscope
