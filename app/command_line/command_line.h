// The command line: which command to run with which options. Parsing and the documents that are
// made from the options (packaging/command_docs.h) use the same grammar, which CLI11 holds. Start
// reading at ParseCommandLine(). To add a command, `stepscope NAME ...`, write
// app/commands/NAME_command.cc with its options and its work, a row in app/commands/registry.cc,
// and its test. Help, the manual page and the completions are made from the rows.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/command_line/options.h"
#include "app/system/output.h"

namespace stepscope {

// A command and the values of its options. It must outlive the parsing with the CLI::App that has
// the options.
class ProgramCommand {
 public:
  virtual ~ProgramCommand() = default;
  // Binds options that several commands share to `input`, the others to this command.
  virtual void AddOptions(CLI::App& app, InputOptions* input) = 0;
  // Checks what the grammar of options cannot express. Returns one line that says what is wrong, or
  // an empty text.
  virtual std::string Check(const InputOptions& input) const = 0;
  // Runs the command and prints its error, one line, if it fails. Returns the program's exit
  // status (app/system/output.h).
  virtual int Run(const InputOptions& input, const Log& log) const = 0;
};

// A command whose own options are a struct and whose work is done by three functions.
template <typename Options>
class CommandWith final : public ProgramCommand {
 public:
  using AddFunction = void (*)(CLI::App& app, InputOptions* input, Options* options);
  using CheckFunction = std::string (*)(const InputOptions& input, const Options& options);
  using RunFunction = int (*)(const InputOptions& input, const Options& options, const Log& log);

  CommandWith(AddFunction add, CheckFunction check, RunFunction run)
      : add_(add), check_(check), run_(run) {}

  void AddOptions(CLI::App& app, InputOptions* input) override { add_(app, input, &options_); }
  std::string Check(const InputOptions& input) const override { return check_(input, options_); }
  int Run(const InputOptions& input, const Log& log) const override {
    return run_(input, options_, log);
  }
  const Options& options() const { return options_; }

 private:
  const AddFunction add_;
  const CheckFunction check_;
  const RunFunction run_;
  Options options_;
};

template <typename Options, typename CommandWith<Options>::AddFunction add,
          typename CommandWith<Options>::CheckFunction check,
          typename CommandWith<Options>::RunFunction run>
std::unique_ptr<ProgramCommand> NewCommand() {
  return std::make_unique<CommandWith<Options>>(add, check, run);
}

// A command whose own options need no check; `check` reads the inputs alone.
template <typename Options, typename CommandWith<Options>::AddFunction add,
          std::string (*check)(const InputOptions& input),
          typename CommandWith<Options>::RunFunction run>
std::unique_ptr<ProgramCommand> NewCommand() {
  return std::make_unique<CommandWith<Options>>(
      add, [](const InputOptions& input, const Options&) { return check(input); }, run);
}

// The row of a command.
struct ProgramCommandDesc {
  const char* name;  // empty: the program without a command
  const char* what;  // for --help, without a full stop where it is a command
  std::unique_ptr<ProgramCommand> (*make)();  // with all options at their defaults
};

using ProgramCommandDescs = std::span<const ProgramCommandDesc* const>;

// The result of parsing: a command to run, or a text to print before the exit.
struct ParsedCommandLine {
  std::unique_ptr<ProgramCommand> command;  // null: print `text`
  InputOptions input;
  bool verbose = false;
  int exit_code = 0;  // without a command
  std::string text;   // help or version for stdout (exit_code 0), else one line for stderr
};

// The command without a name is the one for command lines that name none.
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
