#include "app/command_line/command_line.h"

#include <CLI/CLI.hpp>
#include <utility>

#include "app/system/output.h"
#include "app/system/version.h"

namespace stepscope {
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
