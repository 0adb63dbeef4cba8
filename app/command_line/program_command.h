// A command of the program, `stepscope NAME ...`. To add one, write app/commands/NAME_command.cc
// with its options and what it does, a row in app/commands/registry.cc, and its test. Help, the
// manual page and the completions are made from the rows.
#pragma once

#include <memory>
#include <string>

#include "app/system/output.h"

namespace CLI {
class App;
}

namespace stepscope {

struct InputOptions;

// A command and the values of its options. It must live as long as the CLI::App that it adds its
// options to is parsed with.
class ProgramCommand {
 public:
  virtual ~ProgramCommand() = default;
  // Options that several commands share are bound to `input`, the others to this command.
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

// The row of a command.
struct ProgramCommandDesc {
  const char* name;  // empty: the program without a command
  const char* what;  // for --help, without a full stop where it is a command
  std::unique_ptr<ProgramCommand> (*make)();  // with all options at their defaults
};

}  // namespace stepscope
