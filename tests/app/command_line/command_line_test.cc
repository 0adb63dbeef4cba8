#include <doctest/doctest.h>

#include <sstream>

#include "app/command_line/command_line.h"
#include "app/commands/command_options.h"
#include "app/commands/report_command.h"
#include "tests/app/commands/parse.h"

namespace stepscope {
namespace {

TEST_CASE("command line: wrong usage is one line and status 2") {
  CheckUsageError({"--no-such-flag"}, "--no-such-flag");
  CheckUsageError({"info", "--wrong"}, "stepscope info --help");
}

TEST_CASE("command line: each row is a command that --help names, and the first is the program") {
  const std::string help = Parse({"--help"}).text;
  CHECK(*ProgramCommands().front()->name == '\0');
  for (const ProgramCommandDesc* desc : ProgramCommands().subspan(1)) {
    CAPTURE(desc->name);
    CHECK(help.find(std::string("  ") + desc->name + " ") != std::string::npos);
    const std::string own = Parse({desc->name, "--help"}).text;
    CHECK(own.find("--verbose") != std::string::npos);
    CHECK(own.find(std::string("Usage: stepscope ") + desc->name) != std::string::npos);
  }
}

TEST_CASE("command line: options that the program has too may stand before a command") {
  const ParsedCommandLine parsed = Parse({"--verbose", "--max-inflated", "500MB", "info", "a"});
  CHECK(parsed.verbose);
  CHECK(parsed.input.max_inflated_bytes == uint64_t{500} << 20);
  CHECK(OptionsOf<InfoOptions>(parsed).host.empty());
  CHECK(Parse({"--sample", "replay", "commands"}).input.sample);
  CHECK(Parse({"info", "a", "--verbose"}).verbose);
  CHECK_FALSE(Parse({"info", "a"}).verbose);
}

TEST_CASE("command line: how much a file may inflate to is set in bytes or with a unit") {
  CHECK(Parse({"info", "a"}).input.max_inflated_bytes == uint64_t{16} << 30);
  CHECK(Parse({"info", "--max-inflated", "500MB", "a"}).input.max_inflated_bytes == uint64_t{500}
                                                                                        << 20);
  CHECK(Parse({"info", "--max-inflated", "much", "a"}).command == nullptr);
}

TEST_CASE("command line: help and version go to standard output") {
  const ParsedCommandLine help = Parse({"--help"});
  CHECK(help.command == nullptr);
  CHECK(help.exit_code == 0);
  CHECK(Parse({"bench", "--help"}).text.find("--frames") != std::string::npos);
  const std::string version = Parse({"--version"}).text;
  CHECK(version.find("stepscope 0.") == 0);
  for (const char* part : {"\ncommit ", "\nDear ImGui ", "\nGLFW ", "fmt ", "protobuf ", "isa-l "})
    CHECK_MESSAGE(version.find(part) != std::string::npos, part);
  std::istringstream lines(version);
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 100);
  CHECK(version.find(", ,") == std::string::npos);  // every library has a version
}

}  // namespace
namespace {

TEST_CASE("option values: a range has two ends in order") {
  CHECK(ParseRange("1us..2us") == TimeRange{kPsPerUs, 2 * kPsPerUs});
  CHECK_FALSE(ParseRange("1us"));
  CHECK_FALSE(ParseRange("..2us"));
  CHECK_FALSE(ParseRange("2us..2us"));
}

TEST_CASE("option values: a size has two sides of 16 to 16384 pixels") {
  int w = 0, h = 0;
  CHECK(ParseSize("16x16384", &w, &h));
  CHECK(w == 16);
  CHECK(h == 16384);
  for (const char* bad : {"", "x", "100", "100x", "x100", "15x100", "100x99999", "100x100x",
                          "99999999999x100", "-100x100"}) {
    CAPTURE(bad);
    CHECK_FALSE(ParseSize(bad, &w, &h));
  }
}

}  // namespace
}  // namespace stepscope
