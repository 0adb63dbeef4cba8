// The command line: which command to run with which options. Parsing and the documents that are
// made from the options (packaging/command_docs.h) use the same grammar, which CLI11 holds. Start
// reading at ParseCommandLine(). To add a command, `stepscope NAME ...`, write
// app/commands/NAME_command.cc with its options and its work, a row in app/commands/registry.cc,
// and its test. Help, the manual page and the completions are made from the rows.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/system/output.h"
#include "model/analysis/params.h"
#include "model/time.h"

namespace CLI {
class App;
}  // namespace CLI

namespace stepscope {

// How a command declares its options, and the options that several commands have. CLI11 is included
// by this folder alone, because it takes seconds to compile. A `name` is as CLI11 wants it:
// "--json", "-o,--output" or, without dashes, a positional argument. A `what` is one line of help.

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
// Makes an option of the command required.
void Require(CLI::App& app, const char* name);
// Forbids the use of two options of the command together.
void Exclude(CLI::App& app, const char* name, const char* other);

// Reads the text of an option. Returns an empty text, or the fault, such as "is not a range".
using ReadOption = std::function<std::string(const std::string& text)>;

// An option with one value. `type` is what help calls the value.
void AddValue(CLI::App& app, const char* name, const char* type, const char* what, ReadOption read);
// An option that may be given several times; `read` takes each value.
void AddRepeated(CLI::App& app, const char* name, const char* type, const char* what,
                 ReadOption read);

void AddRange(CLI::App& app, TimeRange* range, const char* what);

// An option with one of a few words, in any case. `take` gets the index of the word in `words`.
// Help and the shells' completions list the words.
void AddWord(CLI::App& app, const char* name, const char* type, const char* what,
             const std::vector<std::string>& words, std::function<void(size_t index)> take);

// An option with the word for a value of an enumeration.
template <typename Enum>
void AddChoice(CLI::App& app, const char* name, const char* type, Enum* value, const char* what,
               const std::vector<std::pair<std::string, Enum>>& choices) {
  std::vector<std::string> words;
  words.reserve(choices.size());
  for (const auto& choice : choices) words.push_back(choice.first);
  AddWord(app, name, type, what, words,
          [value, choices](size_t index) { *value = choices[index].second; });
}

// --- Options that several commands have ----------------------------------------------------------

// The inputs that a command opens. `stepscope --compare bench A B` means `stepscope bench --compare
// A B`, so all commands share these values, also the commands without such an option.
struct InputOptions {
  std::vector<std::string> paths;
  std::string run;                                   // of a log directory; empty: the newest
  uint64_t max_inflated_bytes = uint64_t{16} << 30;  // of one file
  bool compare = false;                              // opens two paths side by side
  bool sample = false;                               // opens the bundled sample
  std::string view;  // a token of view_state.h that says what to show; empty: the first view
};

// Adds PATH and --max-inflated.
void AddPaths(CLI::App& app, InputOptions* input, bool required);
void AddRun(CLI::App& app, InputOptions* input);
void AddCompare(CLI::App& app, InputOptions* input, const char* what);
void AddView(CLI::App& app, InputOptions* input);

// Each returns an empty text, or one line that names the fault. NeedOnePath() and NeedTwoPaths()
// call CheckInput().
std::string CheckInput(const InputOptions& input);
std::string NeedOnePath(const InputOptions& input);
std::string NeedTwoPaths(const InputOptions& input);

// The part of a profile that a command is about.
struct PartOptions {
  std::string host;  // empty: all
  TimeRange range;   // empty: the whole trace
  std::optional<StepInterval> steps;
  HloChoice hlo;  // for the pages of HLO programs
  // Times are on the first rank's clock (model/analysis/ranks/host_clocks.h), not as recorded.
  bool aligned_clocks = false;
  std::vector<OwnPeaks> peaks;
};

void AddHost(CLI::App& app, PartOptions* part);
void AddPartRange(CLI::App& app, PartOptions* part);  // of what begins in a range
void AddSteps(CLI::App& app, PartOptions* part);
void AddClocks(CLI::App& app, PartOptions* part);
void AddHloChoice(CLI::App& app, PartOptions* part);
void AddPeaks(CLI::App& app, PartOptions* part);
// Adds --run, --host, --range and --steps.
void AddPart(CLI::App& app, InputOptions* input, PartOptions* part);

enum class ReportFormat { kText, kJson, kCsv, kHtml };

// A report's contents, form and destination.
struct ReportForm {
  std::vector<std::string> panels;  // ids of pages; empty: all
  std::string table;                // empty: all
  bool wide = false;                // text: all columns, however long the lines
  ReportFormat format = ReportFormat::kText;
  std::string output;  // empty: standard output
};

void AddWide(CLI::App& app, bool* wide);
void AddOutput(CLI::App& app, std::string* output,
               const char* what = "file to write (default: standard output)");
void AddForm(CLI::App& app, ReportForm* form);

// The window that pictures are taken of.
struct PictureOptions {
  int width = 1920, height = 1080;  // pixels
  double scale = 1;
  std::string theme;  // empty: the default
};

void AddSize(CLI::App& app, PictureOptions* picture);
// Adds --size, --scale and --theme.
void AddPicture(CLI::App& app, PictureOptions* picture);

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
