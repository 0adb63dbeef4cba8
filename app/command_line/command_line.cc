#include "app/command_line/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>

#include "app/system/version.h"
#include "model/base/ascii.h"
#include "viewer/core/state/view_state.h"

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

void AddPaths(CLI::App& app, InputOptions* input, bool required) {
  app.add_option("PATH", input->paths,
                 "log directory, run directory, XSpace, Chrome trace, memory snapshot, Perfetto, "
                 "Nsight or ROCm file")
      ->required(required);
  app.add_option("--max-inflated", input->max_inflated_bytes,
                 "a compressed file may inflate to this much (default 16GiB), as in 500MB")
      ->type_name("SIZE")
      ->transform(CLI::AsSizeValue(false).description(""))
      ->check(CLI::PositiveNumber.description(""));
}

void AddRun(CLI::App& app, InputOptions* input) {
  app.add_option("--run", input->run, "run of a log directory or fleet (default: the newest)");
}

void AddCompare(CLI::App& app, InputOptions* input, const char* what) {
  app.add_flag("--compare", input->compare, what);
}

void AddView(CLI::App& app, InputOptions* input) {
  app.add_option("--view", input->view, "text of View > Copy view: shows the same place")
      ->type_name("TOKEN");
}

std::string CheckInput(const InputOptions& input) {
  if (!input.view.empty() && !ParseViewToken(input.view))
    return "--view " + input.view + ": this is no view; View > Copy view makes one";
  if (input.compare && input.paths.size() != 2) return "--compare needs exactly two paths";
  return {};
}

std::string NeedOnePath(const InputOptions& input) {
  std::string wrong = CheckInput(input);
  if (!wrong.empty() || input.paths.size() == 1) return wrong;
  return "one PATH is needed, " + std::to_string(input.paths.size()) + " were given";
}

std::string NeedTwoPaths(const InputOptions& input) {
  std::string wrong = CheckInput(input);
  if (!wrong.empty() || input.paths.size() == 2) return wrong;
  return "two PATHs are needed, A and B; " + std::to_string(input.paths.size()) + " were given";
}

void AddHost(CLI::App& app, PartOptions* part) {
  app.add_option("--host", part->host, "only this host (default: all)");
}

void AddPartRange(CLI::App& app, PartOptions* part) {
  AddRange(app, &part->range,
           "only what begins in this part of the trace (default: all), as in 12ms..15ms");
}

void AddSteps(CLI::App& app, PartOptions* part) {
  AddValue(app, "--steps", "M..N",
           "only the time of these steps, both included, by the number in their names (train 3); "
           "of names without rising numbers by their place, from 0; each host has its own",
           [part](const std::string& text) {
             part->steps = ParseSteps(text);
             return part->steps ? "" : "are no steps; write them as 3..7";
           });
}

void AddClocks(CLI::App& app, PartOptions* part) {
  AddChoice(app, "--clocks", "CLOCKS", &part->aligned_clocks,
            "recorded (default), or aligned: all ranks on one clock, found by the ends of their "
            "collectives, as the window draws them",
            {{"recorded", false}, {"aligned", true}});
}

void AddHloChoice(CLI::App& app, PartOptions* part) {
  app.add_option(
      "--program", part->hlo.program,
      "hlo_memory, hlo_graph: this HLO program, as in 'jit_step(10)' or 10 (default: all, "
      "and that with the most time)");
  part->hlo.whole = true;
  part->hlo.memory_space = kAllMemorySpaces;
  app.add_option("--memory-space", part->hlo.memory_space,
                 "hlo_memory: this memory, 0 is the device's main one (default: all)");
  app.add_option("--instruction", part->hlo.instruction,
                 "hlo_graph: what is around this instruction (default: the program's root)");
  app.add_option("--radius", part->hlo.radius,
                 "hlo_graph: this many steps from the instruction (default: 3)");
}

void AddPeaks(CLI::App& app, PartOptions* part) {
  AddRepeated(app, "--peaks", "DEVICE:NUMBERS",
              "what a device can do at most, in TFLOP/s and GB/s, as in 'MY GPU: fp16=989 fp32=67 "
              "memory=3350'; wins over what the vendor publishes; may be repeated",
              [part](const std::string& text) -> std::string {
                Result<std::vector<OwnPeaks>> own = ParseOwnPeaks(text);
                if (!own.ok()) return "cannot be read: " + own.status().message();
                part->peaks.insert(part->peaks.end(), own->begin(), own->end());
                return {};
              });
}

void AddPart(CLI::App& app, InputOptions* input, PartOptions* part) {
  AddRun(app, input);
  AddHost(app, part);
  AddPartRange(app, part);
  AddSteps(app, part);
}

void AddWide(CLI::App& app, bool* wide) {
  AddFlag(app, "--wide", wide, "text: all columns, however long the lines are");
}

void AddOutput(CLI::App& app, std::string* output, const char* what) {
  AddText(app, "-o,--output", output, what, "FILE");
}

void AddForm(CLI::App& app, ReportForm* form) {
  app.add_option("--panel,--page", form->panels,
                 "page to print, as in overview; may be repeated (default: all)")
      ->type_name("ID")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);  // what follows is a path
  app.add_option("--table", form->table, "only this table, as in steps");
  AddWide(app, &form->wide);
  AddChoice(app, "--format", "FORMAT", &form->format, "text (default), json, csv or html",
            {{"text", ReportFormat::kText},
             {"json", ReportFormat::kJson},
             {"csv", ReportFormat::kCsv},
             {"html", ReportFormat::kHtml}});
  AddOutput(app, &form->output);
}

void AddSize(CLI::App& app, PictureOptions* picture) {
  AddValue(app, "--size", "WxH", "pixels of the picture (default 1920x1080)",
           [picture](const std::string& text) {
             return ParseSize(text, &picture->width, &picture->height)
                        ? ""
                        : "is not a size; write it as 1920x1080, each side 16 to 16384";
           });
}

void AddPicture(CLI::App& app, PictureOptions* picture) {
  AddSize(app, picture);
  app.add_option("--scale", picture->scale,
                 "scale of text and controls, 0.5 to 4; 2 as on a hi-DPI screen")
      ->type_name("N")
      ->check(CLI::Range(0.5, 4.0).description(""));
  app.add_option("--theme", picture->theme, "dark, light or another theme by name");
}

namespace {

std::string ChosenName(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? std::string() : chosen.front()->get_name();
}

std::unique_ptr<ProgramCommand> TakeChosen(ProgramCommandDescs commands, const CLI::App& app,
                                           CommandLineValues* values) {
  const std::string name = ChosenName(app);
  for (size_t i = 0; i < commands.size(); ++i) {
    if (commands[i]->name == name) return std::move(values->commands[i]);
  }
  return nullptr;
}

// The parser's error as one line, with the command that prints help.
std::string UsageLine(const CLI::App& app, const CLI::ParseError& error) {
  std::string text = error.what();
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  const std::string name = ChosenName(app);
  return text + " (see stepscope" + (name.empty() ? "" : " ") + name + " --help)";
}

}  // namespace

void AddCommandLine(ProgramCommandDescs commands, CLI::App* app, CommandLineValues* values) {
  app->name("stepscope");
  app->set_version_flag("--version", VersionText());
  app->require_subcommand(0, 1);
  std::vector<CLI::App*> added;
  for (const ProgramCommandDesc* desc : commands) {
    CLI::App* to = *desc->name == '\0' ? app : app->add_subcommand(desc->name);
    to->description(desc->what);
    values->commands.push_back(desc->make());
    values->commands.back()->AddOptions(*to, &values->input);
    added.push_back(to);
  }
  for (CLI::App* to : added)
    to->add_flag("--verbose", values->verbose, "report progress on standard error");
}

ParsedCommandLine ParseCommandLine(ProgramCommandDescs commands, int argc,
                                   const char* const* argv) {
  ParsedCommandLine parsed;
  CommandLineValues values;
  CLI::App app;
  AddCommandLine(commands, &app, &values);
  try {
    app.parse(argc, argv);
    parsed.command = TakeChosen(commands, app, &values);
    parsed.text = parsed.command->Check(values.input);
    if (!parsed.text.empty()) {
      parsed.command.reset();
      parsed.exit_code = kExitUsage;
    }
  } catch (const CLI::CallForHelp&) {
    const auto chosen = app.get_subcommands();
    parsed.text = chosen.empty() ? app.help() : chosen.front()->help(app.get_name());
  } catch (const CLI::CallForVersion& version) {
    parsed.text = std::string(version.what()) + "\n";
  } catch (const CLI::ParseError& error) {
    parsed.exit_code = kExitUsage;
    parsed.text = UsageLine(app, error);
  }
  parsed.input = std::move(values.input);
  parsed.verbose = values.verbose;
  return parsed;
}

}  // namespace stepscope
