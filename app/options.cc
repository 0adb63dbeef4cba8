#include "app/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "app/command_line.h"
#include "app/exit_code.h"
#include "app/version.h"
#include "model/analysis/findings/finding.h"
#include "model/base/lower.h"
#include "viewer/core/view_token.h"

namespace stepscope {
namespace {

constexpr int kMinSide = 16, kMaxSide = 16384;

// Values that CLI11 does not know how to read; the check names what is expected.
CLI::Option* AddRange(CLI::App* app, TimeRange* range, const char* what) {
  return app
      ->add_option_function<std::string>(
          "--range",
          [range](const std::string& text) {
            const std::optional<TimeRange> parsed = ParseRange(text);
            if (!parsed) {
              throw CLI::ValidationError("--range",
                                         "'" + text + "' is not a range; write it as 12ms..15ms");
            }
            *range = *parsed;
          },
          what)
      ->type_name("A..B");
}

CLI::Option* AddSteps(CLI::App* app, std::optional<StepInterval>* steps) {
  return app
      ->add_option_function<std::string>(
          "--steps",
          [steps](const std::string& text) {
            *steps = ParseSteps(text);
            if (!*steps) {
              throw CLI::ValidationError("--steps",
                                         "'" + text + "' are no steps; write them as 3..7");
            }
          },
          "only the time of these steps, both included, by the number in their names (train 3); "
          "of names without rising numbers by their place, from 0; each host has its own")
      ->type_name("M..N");
}

CLI::Option* AddSize(CLI::App* app, Options* options) {
  return app
      ->add_option_function<std::string>(
          "--size",
          [options](const std::string& text) {
            if (!ParseSize(text, &options->width, &options->height)) {
              throw CLI::ValidationError("--size", "'" + text +
                                                       "' is not a size; write it as 1920x1080, "
                                                       "each side 16 to 16384");
            }
          },
          "pixels of the picture (default 1920x1080)")
      ->type_name("WxH");
}

void AddPicture(CLI::App* app, Options* options) {
  AddSize(app, options);
  app->add_option("--scale", options->scale, "size of text and controls, as on a hi-DPI screen")
      ->check(CLI::Range(0.5, 4.0));
  app->add_option("--theme", options->theme, "dark, light or another theme by name");
}

void AddPaths(CLI::App* app, Options* options, bool required) {
  CLI::Option* paths = app->add_option("PATH", options->paths,
                                       "log directory, run directory, XSpace, Chrome trace, memory "
                                       "snapshot, Perfetto, Nsight or ROCm file");
  if (required) paths->required();
  app->add_option("--max-inflated", options->max_inflated_bytes,
                  "a compressed file may inflate to this much (default 16GiB), as in 500MB")
      ->type_name("SIZE")
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::PositiveNumber);
}

CLI::Option* AddOutput(CLI::App* app, Options* options,
                       const char* what = "file to write (default: standard output)") {
  return app->add_option("-o,--output", options->output, what)->type_name("FILE");
}

void AddView(CLI::App* app, Options* options) {
  app->add_option("--view", options->view,
                  "a view that was copied from the window: shows the same place")
      ->type_name("TOKEN");
}

void AddInfo(CLI::App& app, Options* options) {
  CLI::App* info = app.add_subcommand(
      "info", "What a profile holds: runs, hosts, planes, tracks, what was repaired or skipped");
  AddPaths(info, options, true);
  info->add_flag("--json", options->json, "as one JSON object");
  info->add_option("--run", options->run, "run of a log directory (default: the newest)");
  info->add_option("--host", options->host, "only this host");
}

// "name, track or step".
template <typename Enum>
std::string NamesOf(const std::vector<std::pair<std::string, Enum>>& choices) {
  std::string names;
  for (size_t i = 0; i < choices.size(); ++i) {
    if (i > 0) names += i + 1 == choices.size() ? " or " : ", ";
    names += choices[i].first;
  }
  return names;
}

// An option that takes one of a few words, in any case. The check has them in its description,
// from where help and the shells' completions take them.
template <typename Enum>
void AddChoice(CLI::App* app, const char* name, const char* type, Enum* value, const char* what,
               const std::vector<std::pair<std::string, Enum>>& choices) {
  std::map<std::string, Enum> by_name(choices.begin(), choices.end());
  std::string names;
  for (const auto& [choice, meaning] : by_name) names += (names.empty() ? "{" : ",") + choice;
  const auto check = [by_name, wrong = NamesOf(choices)](const std::string& text) {
    return by_name.contains(Lower(text)) ? std::string()
                                         : "'" + text + "' is no such value; write " + wrong;
  };
  app->add_option_function<std::string>(
         name, [value, by_name](const std::string& text) { *value = by_name.at(Lower(text)); },
         what)
      ->check(CLI::Validator(check, names + "}"))
      ->type_name(type);
}

// Which part of a profile.
void AddPart(CLI::App* app, Options* options) {
  app->add_option("--run", options->run, "run of a log directory (default: the newest)");
  app->add_option("--host", options->host, "only this host (default: all)");
  AddRange(app, &options->range,
           "only what begins in this part of the trace (default: all), as in 12ms..15ms");
  AddSteps(app, &options->steps);
}

// What is written of it, and how.
void AddForm(CLI::App* report, Options* options) {
  report->add_option("--panel", options->panels, "panel to print; may be repeated (default: all)")
      ->type_name("ID")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);  // what follows is a path
  report->add_option("--table", options->table, "only this table");
  report->add_flag("--wide", options->wide, "text: all columns, however long the lines");
  AddChoice(report, "--format", "FORMAT", &options->format, "text (default), json, csv or html",
            {{"text", ReportFormat::kText},
             {"json", ReportFormat::kJson},
             {"csv", ReportFormat::kCsv},
             {"html", ReportFormat::kHtml}});
  AddOutput(report, options);
}

// An option that may be repeated. `read` takes one of its texts; what it returns is what is wrong
// with it, or nothing.
void AddRepeated(CLI::App* app, const char* name, const char* type, const char* what,
                 std::function<std::string(const std::string&)> read) {
  app->add_option_function<std::vector<std::string>>(
         name,
         [name, read = std::move(read)](const std::vector<std::string>& texts) {
           for (const std::string& text : texts) {
             if (const std::string wrong = read(text); !wrong.empty())
               throw CLI::ValidationError(name, fmt::format("'{}' is {}", text, wrong));
           }
         },
         what)
      ->type_name(type)
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);  // what follows is a path
}

constexpr const char* kListsRules = "`report --panel findings --table rules` lists them";

void AddReport(CLI::App& app, Options* options) {
  CLI::App* report = app.add_subcommand("report", "The panels as text or data");
  AddPaths(report, options, true);
  AddPart(report, options);
  AddForm(report, options);
  report
      ->add_option_function<std::string>(
          "--compat", [options](const std::string&) { options->compat_xprof = true; },
          "xprof: definitions exactly as XProf 2.24 has them")
      ->check(CLI::IsMember({"xprof"}));
  AddRepeated(report, "--threshold", "RULE=VALUE",
              "from where on findings of a rule are reported, as in copies=2; may be repeated",
              [options](const std::string& text) -> std::string {
                FindingThresholds thresholds;
                if (!thresholds.Set(text))
                  return std::string("not RULE=NUMBER of a rule that there is; ") + kListsRules;
                options->thresholds.push_back(text);
                return {};
              });
}

void AddCompare(CLI::App& app, Options* options) {
  CLI::App* compare = app.add_subcommand(
      "compare",
      "What changed from profile A to profile B, by how much per step, and what of it "
      "explains the change of the step time");
  AddPaths(compare, options, true);
  AddPart(compare, options);
  AddForm(compare, options);
}

void AddAllowance(CLI::App* app, const char* name, std::optional<Allowance>* allowance,
                  const char* what) {
  app->add_option_function<std::string>(
         name,
         [name, allowance](const std::string& text) {
           *allowance = ParseAllowance(text);
           if (!*allowance)
             throw CLI::ValidationError(name, "'" + text + "' is no limit; write it as 3%");
         },
         what)
      ->type_name("P%");
}

void AddCheck(CLI::App& app, Options* options) {
  CLI::App* check = app.add_subcommand(
      "check",
      "Status 1 when profile B is worse than profile A by more than allowed, naming what "
      "is to blame");
  AddPaths(check, options, true);
  AddPart(check, options);
  AddAllowance(check, "--max-step-regression", &options->max_step_regression,
               "the median step may take so much longer, as in 3%; without %: ms");
  AddAllowance(check, "--max-memory-regression", &options->max_memory_regression,
               "the memory peak may be so much higher, as in 5%; without %: bytes");
  AddRepeated(check, "--max", "PANEL.PROPERTY+P%",
              "a number that `report --format json` has may be so much larger; may be repeated",
              [options](const std::string& text) -> std::string {
                const std::optional<PropertyLimit> limit = ParseLimit(text);
                if (!limit) return "no limit; write it as PANEL.PROPERTY+5%";
                options->limits.push_back(*limit);
                return {};
              });
  AddRepeated(check, "--forbid", "RULE",
              "B must have no finding of this rule that is a warning or worse; may be repeated",
              [options](const std::string& rule) -> std::string {
                if (FindRule(rule) == nullptr) return std::string("no rule; ") + kListsRules;
                options->forbidden.push_back(rule);
                return {};
              });
}

void AddEvents(CLI::App& app, Options* options) {
  CLI::App* events = app.add_subcommand("events", "The events that match, or their statistics");
  AddPaths(events, options, true);
  events->add_option("--run", options->run, "run of a log directory (default: the newest)");
  events->add_option("--host", options->host, "only this host (default: all)");
  events->add_option(
      "--query", options->query,
      "as in the search box: words, name:, =whole name, track:, process:, cat:, dur>1ms, "
      "arg.KEY=VALUE, arg.KEY:TEXT, -not; all must hold");
  AddRange(events, &options->range,
           "only what begins in this part of the trace (default: all), as in 12ms..15ms");
  AddSteps(events, &options->steps);
  events->add_flag("--stats", options->stats, "count, times and percentiles instead of a list");
  AddChoice(events, "--group", "BY", &options->group,
            "with --stats: name (default), track or step: what a row is about",
            {{"name", GroupBy::kName}, {"track", GroupBy::kTrack}, {"step", GroupBy::kStep}});
  events->add_flag("--args", options->args, "the list with all arguments");
  events->add_flag("--wide", options->wide, "text: all columns, however long the lines");
  AddChoice(
      events, "--format", "FORMAT", &options->format, "text (default), json or csv",
      {{"text", ReportFormat::kText}, {"json", ReportFormat::kJson}, {"csv", ReportFormat::kCsv}});
  AddOutput(events, options);
}

void AddExport(CLI::App& app, Options* options) {
  CLI::App* to_chrome = app.add_subcommand(
      "export", "The trace, or a part of it, as Chrome JSON, for Perfetto and others");
  AddPaths(to_chrome, options, true);
  to_chrome->add_option("--run", options->run, "run of a log directory (default: the newest)");
  to_chrome->add_option("--host", options->host, "only this host (default: all)");
  AddRange(to_chrome, &options->range,
           "only events that touch this part of the trace (default: all), as in 12ms..15ms");
  AddOutput(to_chrome, options, "file to write, .gz: compressed (default: standard output)");
}

void AddScreenshot(CLI::App& app, Options* options) {
  CLI::App* shot =
      app.add_subcommand("screenshot",
                         "One frame of the window as a PNG, or the timeline as SVG; needs no "
                         "display");
  AddPaths(shot, options, true);
  AddOutput(shot, options, "file to write: .svg is the timeline as vectors, else PNG")->required();
  shot->add_flag("--compare", options->compare, "open the paths side by side");
  AddPicture(shot, options);
  shot->add_option("--panel", options->panels, "panel to show")->type_name("ID")->expected(1);
  AddRange(shot, &options->range, "part of the trace to show");
  AddView(shot, options);
  shot->add_option("--select", options->select,
                   "select the first event whose name contains this; =NAME: is this");
}

void AddReplay(CLI::App& app, Options* options) {
  CLI::App* replay = app.add_subcommand("replay", "Carries out a list of commands on the window");
  replay->add_option("COMMANDS", options->commands_file, "file with one command a line")
      ->required();
  AddPaths(replay, options, false);
  CLI::Option* output = AddOutput(replay, options, "picture of the last frame, as of screenshot");
  replay
      ->add_flag("--no-pixels", options->no_pixels,
                 "draw no pixels, for long lists on a machine without a GPU; pictures stay black")
      ->excludes(output);
  replay->add_flag("--compare", options->compare, "open the paths side by side");
  replay->add_flag("--window", options->show_window, "in a real window instead of off-screen");
  AddPicture(replay, options);
}

void AddBench(CLI::App& app, Options* options) {
  CLI::App* bench = app.add_subcommand("bench", "Timings of opening and drawing, as JSON");
  AddPaths(bench, options, true);
  bench->add_option("--frames", options->frames, "frames of the scripted zoom")
      ->check(CLI::Range(2, 1000000));
  bench->add_flag("--panels", options->bench_panels,
                  "also frames with each panel open, scrolled while the timeline zooms");
  bench->add_flag("--tools", options->bench_tools,
                  "also frames of a search that is typed and of a box that selects");
  bench->add_flag("--compare", options->compare, "open two paths side by side");
  bench->add_flag("--window", options->show_window, "in a real window instead of off-screen");
  AddSize(bench, options);
}

// One line, whatever the parser had to say.
std::string UsageLine(const CLI::App& app, const CLI::ParseError& error) {
  std::string text = error.what();
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  const auto chosen = app.get_subcommands();
  const std::string name = chosen.empty() ? "" : " " + chosen.front()->get_name();
  return text + " (see stepscope" + name + " --help)";
}

ProgramCommand CommandOf(const CLI::App& app) {
  const std::map<std::string, ProgramCommand> commands{{"info", ProgramCommand::kInfo},
                                                       {"report", ProgramCommand::kReport},
                                                       {"events", ProgramCommand::kEvents},
                                                       {"export", ProgramCommand::kExport},
                                                       {"compare", ProgramCommand::kCompare},
                                                       {"check", ProgramCommand::kCheck},
                                                       {"screenshot", ProgramCommand::kScreenshot},
                                                       {"replay", ProgramCommand::kReplay},
                                                       {"bench", ProgramCommand::kBench}};
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? ProgramCommand::kOpen : commands.at(chosen.front()->get_name());
}

// What the grammar alone cannot say; empty if all is well.
std::string CheckOptions(const Options& o) {
  if (o.command == ProgramCommand::kOpen && o.sample && !o.paths.empty()) {
    return "--sample takes no PATH";
  }
  if (!o.view.empty() && !ParseViewToken(o.view))
    return "--view " + o.view + ": this is no view; View > Copy view makes one";
  if (o.compare && o.paths.size() != 2) return "--compare needs exactly two paths";
  const bool one_path =
      o.command == ProgramCommand::kInfo || o.command == ProgramCommand::kReport ||
      o.command == ProgramCommand::kEvents || o.command == ProgramCommand::kExport ||
      (o.command == ProgramCommand::kBench && !o.compare);
  if (one_path && o.paths.size() != 1)
    return "one PATH is needed, " + std::to_string(o.paths.size()) + " were given";
  const bool two_paths =
      o.command == ProgramCommand::kCompare || o.command == ProgramCommand::kCheck;
  if (two_paths && o.paths.size() != 2)
    return "two PATHs are needed, A and B; " + std::to_string(o.paths.size()) + " were given";
  const bool limits =
      o.max_step_regression || o.max_memory_regression || !o.limits.empty() || !o.forbidden.empty();
  if (o.command == ProgramCommand::kCheck && !limits)
    return "check needs a limit, as in --max-step-regression 3%";
  if (o.command == ProgramCommand::kReport && o.format == ReportFormat::kCsv &&
      o.panels.size() != 1 && o.table.empty()) {
    return "--format csv gives one table: name its panel with --panel or the table with --table";
  }
  if (o.stats && o.args) return "--args is of the list of events, which --stats leaves out";
  return {};
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

std::optional<Allowance> ParseAllowance(const std::string& text) {
  Allowance allowance;
  std::string_view number = text;
  allowance.percent = number.ends_with('%');
  if (allowance.percent) number.remove_suffix(1);
  const char* end = number.data() + number.size();
  const auto parsed = std::from_chars(number.data(), end, allowance.amount);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  if (!std::isfinite(allowance.amount) || allowance.amount < 0) return std::nullopt;
  return allowance;
}

std::optional<PropertyLimit> ParseLimit(const std::string& text) {
  const size_t dot = text.find('.'), plus = text.rfind('+');
  if (dot == std::string::npos || plus == std::string::npos || dot == 0 || plus < dot + 2)
    return std::nullopt;
  const std::optional<Allowance> allowed = ParseAllowance(text.substr(plus + 1));
  if (!allowed) return std::nullopt;
  return PropertyLimit{text.substr(0, dot), text.substr(dot + 1, plus - dot - 1), *allowed};
}

Status CheckPaths(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    std::error_code error;
    if (std::filesystem::exists(path, error)) continue;
    if (path.find_first_of("./") == std::string::npos) {
      return Status(ErrorCode::kUsage,
                    path +
                        ": neither a file nor a command; commands are info, report, events, "
                        "export, compare, check, screenshot, replay and bench (see stepscope "
                        "--help)");
    }
    return Status(ErrorCode::kIo, path + ": there is no such file or directory");
  }
  return Status::Ok();
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

void AddCommandLine(CLI::App* app, Options* options) {
  app->name("stepscope");
  app->description(
      "Stepscope shows the profiles that TensorFlow, JAX and PyTorch write, and says what to fix.");
  app->set_version_flag("--version", VersionText());
  app->require_subcommand(0, 1);
  AddPaths(app, options, false);
  app->add_flag("--compare", options->compare, "open two paths side by side");
  app->add_flag("--sample", options->sample, "open the bundled sample");
  AddView(app, options);
  AddInfo(*app, options);
  AddReport(*app, options);
  AddEvents(*app, options);
  AddExport(*app, options);
  AddCompare(*app, options);
  AddCheck(*app, options);
  AddScreenshot(*app, options);
  AddReplay(*app, options);
  AddBench(*app, options);
  const std::string verbose = "say on standard error what is being done";
  app->add_flag("--verbose", options->verbose, verbose);
  for (CLI::App* sub : app->get_subcommands([](CLI::App*) { return true; })) {
    sub->add_flag("--verbose", options->verbose, verbose);
  }
}

ParsedOptions ParseOptions(int argc, const char* const* argv) {
  ParsedOptions parsed;
  Options* options = &parsed.options;
  CLI::App app;
  AddCommandLine(&app, options);
  try {
    app.parse(argc, argv);
    options->command = CommandOf(app);
    parsed.text = CheckOptions(*options);
    if (!parsed.text.empty()) {
      parsed.run = false;
      parsed.exit_code = kExitUsage;
    }
  } catch (const CLI::CallForHelp&) {
    parsed.run = false;
    const auto chosen = app.get_subcommands();
    parsed.text = chosen.empty() ? app.help() : chosen.front()->help();
  } catch (const CLI::CallForVersion& version) {
    parsed.run = false;
    parsed.text = std::string(version.what()) + "\n";
  } catch (const CLI::ParseError& error) {
    parsed.run = false;
    parsed.exit_code = kExitUsage;
    parsed.text = UsageLine(app, error);
  }
  return parsed;
}

}  // namespace stepscope
