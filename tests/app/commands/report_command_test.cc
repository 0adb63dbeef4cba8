
#include "app/commands/command_options.h"
#include "tests/app/commands/parse.h"

namespace stepscope {
namespace {

TEST_CASE("report: reads its options") {
  const ParsedCommandLine parsed =
      Parse({"report", "dir", "--panel", "overview", "--panel", "memory", "--format", "json",
             "--compat", "xprof", "-o", "out.json"});
  const ReportOptions& report = OptionsOf<ReportOptions>(parsed);
  CHECK(report.panels == std::vector<std::string>{"overview", "memory"});
  CHECK(report.format == ReportFormat::kJson);
  CHECK(report.compat_xprof);
  CHECK(report.output == "out.json");
  CHECK(parsed.input.paths == std::vector<std::string>{"dir"});
  CHECK_FALSE(report.steps);
}

TEST_CASE("report: --page is another name of --panel, and a path may follow it") {
  const ParsedCommandLine parsed =
      Parse({"report", "--page", "overview", "--panel", "memory", "dir"});
  CHECK(OptionsOf<ReportOptions>(parsed).panels == std::vector<std::string>{"overview", "memory"});
  CHECK(parsed.input.paths == std::vector<std::string>{"dir"});
}

TEST_CASE("report: reads a part of the profile") {
  const ParsedCommandLine parsed =
      Parse({"report", "dir", "--range", "1ms..2ms", "--steps", "3..7"});
  CHECK(OptionsOf<ReportOptions>(parsed).range == TimeRange{kPsPerMs, 2 * kPsPerMs});
  CHECK(OptionsOf<ReportOptions>(parsed).steps == StepInterval{3, 7});
  CheckUsageError({"report", "a", "--range", "a..7"}, "a..7");
  CheckUsageError({"report", "a", "--range", "12ms"}, "12ms..15ms");
  for (const char* bad : {"7..3", "3", "3..", "..7", "a..b", "3..7x", "3...7"})
    CheckUsageError({"report", "a", "--steps", bad}, "--steps");
}

TEST_CASE(
    "report, events and export: times are on the recorded clocks unless aligned ones are asked") {
  CHECK_FALSE(OptionsOf<ReportOptions>(Parse({"report", "dir"})).aligned_clocks);
  const ParsedCommandLine aligned = Parse({"report", "dir", "--clocks", "aligned"});
  CHECK(OptionsOf<ReportOptions>(aligned).aligned_clocks);
  CheckUsageError({"report", "dir", "--clocks", "both"}, "write recorded or aligned");
  CheckUsageError({"events", "dir", "--clocks", "both"}, "write recorded or aligned");
  CheckUsageError({"export", "dir", "--clocks", "aligned", "--host", "h"}, "--host");
}

TEST_CASE("report: CSV is one table, so a panel or a table has to be named") {
  CheckUsageError({"report", "a", "--format", "csv"}, "--panel");
  CHECK(Parse({"report", "a", "--format", "csv", "--panel", "memory"}).command != nullptr);
  CHECK(Parse({"report", "a", "--format", "csv", "--table", "steps"}).command != nullptr);
}

TEST_CASE("report: refuses unknown formats and definitions") {
  CheckUsageError({"report", "x", "--format", "xml"}, "write text, json, csv or html");
  CheckUsageError({"report", "a", "--compat", "tensorboard"}, "--compat");
}

TEST_CASE("report: thresholds of findings are checked when the command line is read") {
  const ParsedCommandLine good =
      Parse({"report", "--threshold", "copies=2", "--threshold", "gaps=50", "/"});
  CHECK(OptionsOf<ReportOptions>(good).thresholds ==
        std::vector<std::string>{"copies=2", "gaps=50"});
  CHECK(good.input.paths == std::vector<std::string>{"/"});
  for (const char* wrong : {"copies", "copies=x", "nothing=1"})
    CheckUsageError({"report", "/", "--threshold", wrong}, wrong);
}

}  // namespace
}  // namespace stepscope
