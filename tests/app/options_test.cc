#include "app/options.h"

#include <doctest/doctest.h>

#include <initializer_list>
#include <sstream>
#include <vector>

namespace stepscope {
namespace {

ParsedOptions Parse(std::initializer_list<const char*> arguments) {
  std::vector<const char*> argv{"stepscope"};
  argv.insert(argv.end(), arguments);
  return ParseOptions(static_cast<int>(argv.size()), argv.data());
}

void CheckUsageError(std::initializer_list<const char*> arguments, const std::string& mentions) {
  const ParsedOptions parsed = Parse(arguments);
  CAPTURE(mentions);
  CAPTURE(parsed.text);
  CHECK_FALSE(parsed.run);
  CHECK(parsed.exit_code == 2);
  CHECK(parsed.text.find(mentions) != std::string::npos);
  CHECK(parsed.text.find('\n') == std::string::npos);
}

TEST_CASE("options: of a few words, another one is refused in a line that says which there are") {
  CheckUsageError({"events", "x", "--stats", "--group", "foo"}, "--group: 'foo'");
  CheckUsageError({"events", "x", "--stats", "--group", "2"}, "write name, track or step");
  CheckUsageError({"report", "x", "--format", "xml"}, "write text, json, csv or html");
  CheckUsageError({"events", "x", "--format", "html"}, "write text, json or csv");
  CHECK(Parse({"events", "x", "--stats", "--group", "Track"}).options.group == GroupBy::kTrack);
  const std::string help = Parse({"events", "--help"}).text;
  CHECK(help.find('\x01') == std::string::npos);
  CHECK(help.find("->") == std::string::npos);
}

TEST_CASE("options: without a subcommand the window opens what is given") {
  const ParsedOptions none = Parse({});
  CHECK(none.run);
  CHECK(none.options.command == ProgramCommand::kOpen);
  CHECK(none.options.paths.empty());
  const ParsedOptions two = Parse({"a.pb", "b.pb", "--compare"});
  CHECK(two.run);
  CHECK(two.options.compare);
  CHECK(two.options.paths == std::vector<std::string>{"a.pb", "b.pb"});
  CHECK(Parse({"--sample"}).options.sample);
}

TEST_CASE("options: each command reads its flags") {
  const ParsedOptions info = Parse({"info", "dir", "--json"});
  CHECK(info.run);
  CHECK(info.options.command == ProgramCommand::kInfo);
  CHECK(info.options.json);
  CHECK(info.options.paths == std::vector<std::string>{"dir"});

  const ParsedOptions report = Parse({"report", "dir", "--panel", "overview", "--panel", "memory",
                                      "--format", "json", "--compat", "xprof", "-o", "out.json"});
  CHECK(report.run);
  CHECK(report.options.panels == std::vector<std::string>{"overview", "memory"});
  CHECK(report.options.format == ReportFormat::kJson);
  CHECK(report.options.compat_xprof);
  CHECK(report.options.output == "out.json");
  CHECK(report.options.paths == std::vector<std::string>{"dir"});

  const ParsedOptions part = Parse({"report", "dir", "--range", "1ms..2ms", "--steps", "3..7"});
  CHECK(part.run);
  CHECK(part.options.range == TimeRange{kPsPerMs, 2 * kPsPerMs});
  CHECK(part.options.steps == StepInterval{3, 7});
  CHECK_FALSE(report.options.steps);

  const ParsedOptions shot = Parse({"screenshot", "dir", "-o", "x.png", "--size", "1280x800",
                                    "--scale", "2", "--range", "12ms..15ms", "--theme", "light"});
  CHECK(shot.run);
  CHECK(shot.options.width == 1280);
  CHECK(shot.options.height == 800);
  CHECK(shot.options.scale == 2);
  CHECK(shot.options.range == TimeRange{12 * kPsPerMs, 15 * kPsPerMs});

  CHECK_FALSE(Parse({"bench", "dir"}).options.bench_panels);
  CHECK(Parse({"bench", "--compare", "a", "b"}).options.compare);
  CheckUsageError({"bench", "a", "b"}, "one PATH");
  CheckUsageError({"bench", "--compare", "a"}, "two paths");
  const ParsedOptions bench = Parse({"bench", "dir", "--frames", "50", "--panels"});
  CHECK(bench.options.bench_panels);
  CHECK_FALSE(bench.options.bench_tools);
  CHECK(Parse({"bench", "dir", "--tools"}).options.bench_tools);
  CHECK(bench.run);
  CHECK(bench.options.frames == 50);
  CHECK(Parse({"replay", "cmds.txt", "--no-pixels"}).options.no_pixels);
  CHECK_FALSE(Parse({"replay", "cmds.txt", "--no-pixels", "-o", "x.png"}).run);
  const ParsedOptions replay = Parse({"replay", "cmds.txt", "dir", "-o", "x.png"});
  CHECK(replay.run);
  CHECK(replay.options.commands_file == "cmds.txt");
  CHECK(replay.options.paths == std::vector<std::string>{"dir"});
}

TEST_CASE("options: how much a file may inflate to is set in bytes or with a unit") {
  const ParsedOptions none = Parse({"info", "a"});
  CHECK(none.options.max_inflated_bytes == uint64_t{16} << 30);
  const ParsedOptions set = Parse({"info", "--max-inflated", "500MB", "a"});
  CHECK(set.run);
  CHECK(set.options.max_inflated_bytes == uint64_t{500} << 20);
  CHECK_FALSE(Parse({"info", "--max-inflated", "much", "a"}).run);
}

TEST_CASE("options: wrong usage is one line and status 2") {
  CheckUsageError({"--no-such-flag"}, "--no-such-flag");
  CheckUsageError({"info"}, "PATH");
  CheckUsageError({"info", "a", "b"}, "2 were given");
  CheckUsageError({"screenshot", "a"}, "--output");
  CheckUsageError({"screenshot", "a", "-o", "x.png", "--size", "big"}, "1920x1080");
  CheckUsageError({"screenshot", "a", "-o", "x.png", "--range", "15ms..12ms"}, "12ms..15ms");
  CheckUsageError({"report", "a", "--format", "xml"}, "xml");
  CheckUsageError({"report", "a", "--format", "csv"}, "--panel");
  CheckUsageError({"report", "a", "--range", "a..7"}, "a..7");
  CheckUsageError({"report", "a", "--range", "12ms"}, "12ms..15ms");
  for (const char* bad : {"7..3", "3", "3..", "..7", "a..b", "3..7x", "3...7"})
    CheckUsageError({"report", "a", "--steps", bad}, "--steps");
  CheckUsageError({"report", "a", "--compat", "tensorboard"}, "--compat");
  CheckUsageError({"a", "--compare"}, "two paths");
  CheckUsageError({"bench", "a", "--frames", "-3"}, "--frames");
  CheckUsageError({"info", "a", "--sample"}, "--sample");
}

TEST_CASE("options: compare takes two paths and what report takes") {
  const ParsedOptions p = Parse({"compare", "a.pb", "b.pb", "--panel", "op_stats", "--format",
                                 "json", "--steps", "3..7", "-o", "x.json"});
  CHECK(p.run);
  CHECK(p.options.command == ProgramCommand::kCompare);
  CHECK(p.options.paths == std::vector<std::string>{"a.pb", "b.pb"});
  CHECK(p.options.panels == std::vector<std::string>{"op_stats"});
  CHECK(p.options.format == ReportFormat::kJson);
  CHECK(p.options.output == "x.json");
  CHECK(Parse({"compare", "a", "b", "--format", "csv"}).run);
  CHECK(Parse({"compare", "--panel", "op_stats", "a", "b"}).options.paths.size() == 2);
  CHECK(Parse({"check", "--max", "memory.x+5%", "a", "b"}).options.paths.size() == 2);
  CheckUsageError({"compare", "a"}, "1 were given");
  CheckUsageError({"compare", "a", "b", "c"}, "3 were given");
  CheckUsageError({"compare", "a", "b", "--compat", "xprof"}, "--compat");
}

TEST_CASE("options: check takes limits in percent, or in the unit of what they are of") {
  const ParsedOptions p =
      Parse({"check", "a", "b", "--max-step-regression", "3%", "--max", "memory.x+5%", "--max",
             "overview.device_busy_percent+0.5", "--max-memory-regression", "1e6"});
  CHECK(p.run);
  CHECK(p.options.command == ProgramCommand::kCheck);
  REQUIRE(p.options.max_step_regression);
  CHECK(p.options.max_step_regression->amount == 3);
  CHECK(p.options.max_step_regression->percent);
  REQUIRE(p.options.max_memory_regression);
  CHECK(p.options.max_memory_regression->amount == 1e6);
  CHECK_FALSE(p.options.max_memory_regression->percent);
  REQUIRE(p.options.limits.size() == 2);
  CHECK(p.options.limits[0].panel == "memory");
  CHECK(p.options.limits[0].property == "x");
  CHECK(p.options.limits[1].property == "device_busy_percent");
  CHECK(p.options.limits[1].allowed.amount == 0.5);
  CHECK(Parse({"check", "--forbid", "copies", "a", "b"}).options.forbidden.size() == 1);
  CheckUsageError({"check", "a", "b", "--forbid", "nonsense"}, "no rule");
  CheckUsageError({"check", "a", "b"}, "--max-step-regression");
  CheckUsageError({"check", "a", "--max-step-regression", "3%"}, "1 were given");
  for (const char* bad : {"", "%", "x", "-1%", "3 %", "nan", "inf", "3%%"})
    CHECK_FALSE(ParseAllowance(bad).has_value());
  for (const char* bad : {"", "a", "a.b", "a+3%", ".b+3%", "a.+3%", "a.b+", "a.b+x"})
    CHECK_FALSE(ParseLimit(bad).has_value());
}

TEST_CASE("options: a file that is called like a command has a path") {
  CHECK(Parse({"./compare"}).options.paths == std::vector<std::string>{"./compare"});
  CHECK(Parse({"--help"}).text.find("  check") != std::string::npos);
}

TEST_CASE("options: events and export") {
  const ParsedOptions list = Parse({"events", "a.pb", "--query", "dur>1ms -x", "--args"});
  CHECK(list.options.command == ProgramCommand::kEvents);
  CHECK(list.options.query == "dur>1ms -x");
  CHECK(list.options.args);
  CHECK(list.options.group == GroupBy::kName);
  const ParsedOptions stats = Parse({"events", "a.pb", "--stats", "--group", "step", "--range",
                                     "1ms..2ms", "--steps", "3..7", "--format", "csv"});
  CHECK(stats.options.stats);
  CHECK(stats.options.group == GroupBy::kStep);
  CHECK(stats.options.steps == StepInterval{3, 7});
  CHECK(stats.options.format == ReportFormat::kCsv);
  const ParsedOptions part = Parse({"export", "a", "-o", "b.json.gz", "--range", "1ms..2ms"});
  CHECK(part.options.command == ProgramCommand::kExport);
  CHECK(part.options.output == "b.json.gz");
  CHECK(part.options.range == TimeRange{kPsPerMs, 2 * kPsPerMs});
  CheckUsageError({"events"}, "PATH");
  CheckUsageError({"events", "a", "b"}, "one PATH");
  CheckUsageError({"events", "a", "--format", "html"}, "html");
  CheckUsageError({"events", "a", "--group", "color"}, "color");
  CheckUsageError({"events", "a", "--stats", "--args"}, "--args");
  CheckUsageError({"export", "a", "b", "-o", "c"}, "one PATH");
  CHECK(Parse({"--help"}).text.find("export") != std::string::npos);
}

TEST_CASE("options: a word that is no path may be a mistyped command") {
  CHECK(CheckPaths({}).ok());
  CHECK(CheckPaths({STEPSCOPE_SOURCE_DIR}).ok());
  const Status word = CheckPaths({STEPSCOPE_SOURCE_DIR, "reprot"});
  CHECK(word.code() == ErrorCode::kUsage);
  CHECK(word.message().find("reprot: ") == 0);
  CHECK(word.message().find("screenshot") != std::string::npos);
  CHECK(CheckPaths({"./no/such.json"}).code() == ErrorCode::kIo);
  CHECK(CheckPaths({"nosuch.xplane.pb"}).code() == ErrorCode::kIo);
}

TEST_CASE("options: help and version go to standard output") {
  const ParsedOptions help = Parse({"--help"});
  CHECK_FALSE(help.run);
  CHECK(help.exit_code == 0);
  CHECK(help.text.find("screenshot") != std::string::npos);
  CHECK(Parse({"bench", "--help"}).text.find("--frames") != std::string::npos);
  const std::string version = Parse({"--version"}).text;
  CHECK(version.find("stepscope 0.") == 0);
  for (const char* part : {"\ncommit ", "\nDear ImGui ", "\nGLFW ", "fmt ", "protobuf ", "isa-l "})
    CHECK_MESSAGE(version.find(part) != std::string::npos, part);
  std::istringstream lines(version);
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 100);
  CHECK(version.find(", ,") == std::string::npos);  // every library has a version
}

TEST_CASE("options: ranges and sizes") {
  CHECK(ParseRange("1us..2us") == TimeRange{kPsPerUs, 2 * kPsPerUs});
  CHECK_FALSE(ParseRange("1us"));
  CHECK_FALSE(ParseRange("..2us"));
  CHECK_FALSE(ParseRange("2us..2us"));
  int w = 0, h = 0;
  CHECK(ParseSize("16x16384", &w, &h));
  CHECK(h == 16384);
  for (const char* bad : {"", "x", "100", "100x", "x100", "15x100", "100x99999", "100x100x",
                          "99999999999x100", "-100x100"}) {
    CAPTURE(bad);
    CHECK_FALSE(ParseSize(bad, &w, &h));
  }
}

}  // namespace
}  // namespace stepscope
