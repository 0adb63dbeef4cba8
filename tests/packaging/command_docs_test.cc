#include "packaging/command_docs.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "app/commands/registry.h"
#include "app/system/paths.h"
#include "tests/app/temp_dir.h"
#include "tests/support/has_text.h"

namespace stepscope {
namespace {

using test::Has;

std::vector<CommandDoc> Commands() { return ReadCommands(ProgramCommands()); }

const CommandDoc& Find(const std::vector<CommandDoc>& commands, std::string_view name) {
  const auto it = std::find_if(commands.begin(), commands.end(),
                               [&](const CommandDoc& command) { return command.name == name; });
  REQUIRE(it != commands.end());
  return *it;
}

const OptionDoc& Find(const CommandDoc& command, std::string_view name) {
  const auto it =
      std::find_if(command.options.begin(), command.options.end(), [&](const OptionDoc& option) {
        return std::find(option.names.begin(), option.names.end(), name) != option.names.end();
      });
  REQUIRE(it != command.options.end());
  return *it;
}

TEST_CASE("command docs: every command and option of the parser, with values and choices") {
  const std::vector<CommandDoc> commands = Commands();
  CHECK(commands.size() == ProgramCommands().size());
  CHECK(commands[0].name.empty());
  CHECK(commands[0].positionals == "[PATH...]");
  CHECK(Find(commands[0], "--sample").value.empty());
  const CommandDoc& report = Find(commands, "report");
  CHECK(report.positionals == "PATH...");
  CHECK(Find(report, "--format").choices.size() == 4);
  CHECK(Find(report, "--compat").choices == std::vector<std::string>{"xprof"});
  CHECK(Find(report, "--output").file);
  CHECK(Find(report, "-o").names.size() == 2);
  CHECK(Find(report, "--range").value == "A..B");
  const auto& panels = Find(report, "--panel").choices;
  CHECK(std::find(panels.begin(), panels.end(), "kernel_stats") != panels.end());
  CHECK(std::find(panels.begin(), panels.end(), "details") == panels.end());  // of the window only
  CHECK(Find(Find(commands, "screenshot"), "--panel").choices.size() > panels.size());
  CHECK(Find(commands, "replay").positionals == "COMMANDS [PATH...]");
}

TEST_CASE("command docs: the page names all of them, and nothing in it is taken as a macro") {
  const std::vector<CommandDoc> commands = Commands();
  const std::string page = ManPage(commands, "9.8.7");
  CHECK(Has(page, "\"Stepscope 9.8.7\""));
  for (const CommandDoc& command : commands) {
    if (!command.name.empty()) CHECK(Has(page, ".SS stepscope " + command.name + " "));
  }
  CHECK(Has(page, "\\fB\\-o, \\-\\-output\\fR \\fIFILE\\fR\n"));
  CHECK_FALSE(Has(page, "\n--"));
  std::vector<CommandDoc> odd(1);
  odd[0].options.push_back({{"--x"}, "V", ".bad 'text' \\n", {}, false});
  CHECK(Has(ManPage(odd, "1"), "\n\\&.bad 'text' \\en\n"));
}

// Returns what bash completes after these words.
std::string BashAnswer(const TempDir& dir, const std::string& words, int at) {
  const std::string script = (dir.path() / "script").string();
  const std::string answer = (dir.path() / "answer").string();
  std::ofstream(script) << BashCompletion(Commands()) << "cd " << (dir.path() / "here").string()
                        << "\nCOMP_WORDS=(" << words << ")\nCOMP_CWORD=" << at
                        << "\n_stepscope\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n";
  REQUIRE(std::system(("bash " + script + " > " + answer).c_str()) == 0);
  return "\n" + ReadSmallFile(answer);
}

TEST_CASE("command docs: bash completes commands, options, values and files") {
  if (std::system("bash -c true 2>/dev/null") != 0) {
    MESSAGE("SKIPPED: no bash here");
    return;
  }
  const TempDir dir;
  std::filesystem::create_directory(dir.path() / "here");
  std::ofstream(dir.path() / "here" / "a run.pb") << "x";
  const std::string first = BashAnswer(dir, "stepscope ''", 1);
  CHECK(Has(first, "\nreport\n"));
  CHECK(Has(first, "\na run.pb\n"));
  const std::string flags = BashAnswer(dir, "stepscope report --fo", 2);
  CHECK(flags == "\n--format\n");
  CHECK(BashAnswer(dir, "stepscope report --format ''", 3) == "\ncsv\nhtml\njson\ntext\n");
  CHECK(BashAnswer(dir, "stepscope report --format j", 3) == "\njson\n");
  CHECK(Has(BashAnswer(dir, "stepscope report --panel over", 3), "\noverview\n"));
  CHECK(BashAnswer(dir, "stepscope report --run ''", 3) == "\n\n");  // not known: nothing, no files
  CHECK(Has(BashAnswer(dir, "stepscope report -o ''", 3), "\na run.pb\n"));
  const std::string path = BashAnswer(dir, "stepscope report a", 2);
  CHECK(path == "\na run.pb\n");
}

TEST_CASE("command docs: zsh and fish read what is made for them") {
  const TempDir dir;
  const std::string zsh = (dir.path() / "_stepscope").string();
  const std::string fish = (dir.path() / "stepscope.fish").string();
  std::ofstream(zsh) << ZshCompletion(Commands());
  std::ofstream(fish) << FishCompletion(Commands());
  CHECK(ReadSmallFile(zsh).starts_with("#compdef stepscope\n"));
  CHECK(Has(ReadSmallFile(zsh), "'--format=[text (default), json, csv or html]:FORMAT:(csv"));
  CHECK(Has(ReadSmallFile(fish), " -s o -l output -r -F "));
  if (std::system("zsh -c true 2>/dev/null") == 0)
    CHECK(std::system(("zsh -n " + zsh).c_str()) == 0);
  else
    MESSAGE("SKIPPED: no zsh here");
  if (std::system("fish -c true 2>/dev/null") == 0) {
    const std::string asked = " -c 'source " + fish + "; complete -C \"stepscope report --forma\"'";
    const std::string answer = (dir.path() / "answer").string();
    CHECK(std::system(("fish --no-config" + asked + " > " + answer).c_str()) == 0);
    CHECK(Has(ReadSmallFile(answer), "--format"));
  } else {
    MESSAGE("SKIPPED: no fish here");
  }
}

}  // namespace
}  // namespace stepscope
