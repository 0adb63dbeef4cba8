#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "app/command_line/command_line.h"
#include "app/commands/command_options.h"
#include "app/commands/profile_input.h"
#include "app/commands/report_command.h"
#include "app/system/output.h"
#include "model/compare/compare.h"
#include "model/compare/compare_table.h"

namespace stepscope {
namespace {

// Removes the tables of pages that the options do not name. The table of contributions stays in all
// reports but those of a single table.
void KeepPages(const CompareOptions& options, AnalysisResult* result) {
  const std::vector<std::string>& pages = options.panels;
  const bool one_table = options.format == ReportFormat::kCsv && options.table.empty();
  std::erase_if(result->tables, [&](const ResultTable& table) {
    if (pages.empty() || table.id == options.table) return false;
    if (table.id == compare::kContributionTable) return one_table;
    const std::string page = compare::PageOf(table.id);
    return std::find(pages.begin(), pages.end(), page) == pages.end();
  });
}

ReportInput InputOf(const InputOptions& paths, const CompareOptions& options,
                    const ComparedInput& input, AnalysisResult result) {
  const Trace &a = input.a->trace(), &b = input.b->trace();
  ReportInput report;
  report.path = "A: " + paths.paths[0] + ", B: " + paths.paths[1];
  report.run = a.run == b.run ? a.run : a.run + " and " + b.run;
  report.host = options.host;
  report.table = options.table;
  report.wide = options.wide;
  report.params = input.params.a;
  report.panels.push_back(
      {&Comparison(), std::make_shared<const AnalysisResult>(std::move(result)), {}, {}});
  return report;
}

int Write(const InputOptions& paths, const CompareOptions& options, const ReportInput& input) {
  return WriteReport(
      options, input,
      [&](const TextSink& sink) {
        WriteCompareJson(paths.paths[0], paths.paths[1], *input.panels.front().result, input.table,
                         sink);
      },
      [&] {
        return fmt::format("compare: there is no table{} of these profiles",
                           input.table.empty() ? "" : " '" + input.table + "'");
      });
}

void AddCompareOptions(CLI::App& app, InputOptions* input, CompareOptions* options) {
  AddPaths(app, input, true);
  AddPart(app, input, options);
  AddPeaks(app, options);
  AddForm(app, options);
}

int RunCompare(const InputOptions& paths, const CompareOptions& options, const Log& log) {
  if (ChooseAnalyses(options.panels).empty()) return kExitUsage;
  ComparedInput input = LoadAndCompare(paths, options, log);
  if (input.exit_code != kExitOk) return input.exit_code;
  AnalysisResult result = std::move(input.result);
  KeepPages(options, &result);
  // Reports for people have the summary's sentences as findings.
  if (options.format != ReportFormat::kJson)
    std::erase_if(result.properties, [](const Property& p) { return p.id == "summary"; });
  const int status = Write(paths, options, InputOf(paths, options, input, std::move(result)));
  LogPeakMemory(log);
  return status;
}

}  // namespace

extern const ProgramCommandDesc kCompareCommand = {
    "compare", "By how much a step of profile B differs from one of A, and what explains it",
    NewCommand<CompareOptions, AddCompareOptions, NeedTwoPaths, RunCompare>};

}  // namespace stepscope
