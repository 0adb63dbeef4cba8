#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "app/command_line/program_command.h"
#include "app/commands/compare_command.h"
#include "app/commands/compare_input.h"
#include "app/commands/part_of_trace.h"
#include "app/commands/write_report.h"
#include "app/system/output.h"
#include "model/compare/compare.h"

namespace stepscope {
namespace {

// Removes the tables of pages that were not asked for. The table of contributions stays, unless a
// CSV report has room for one table only.
void KeepPages(const CompareOptions& options, AnalysisResult* result) {
  const std::vector<std::string>& pages = options.panels;
  const bool one_table = options.format == ReportFormat::kCsv && options.table.empty();
  std::erase_if(result->tables, [&](const ResultTable& table) {
    if (pages.empty() || table.id == options.table) return false;
    if (table.id == "contributions") return one_table;
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

void AddOptions(CLI::App& app, InputOptions* input, CompareOptions* options) {
  AddPaths(app, input, true);
  AddPart(app, input, options);
  AddPeaks(app, options);
  AddForm(app, options);
}

std::string Check(const InputOptions& paths, const CompareOptions&) { return NeedTwoPaths(paths); }

int Run(const InputOptions& paths, const CompareOptions& options, const Log& log) {
  if (ChooseAnalyses(options.panels).empty()) return kExitUsage;
  ComparedInput input = LoadAndCompare(paths, options, log);
  if (input.exit_code != kExitOk) return input.exit_code;
  AnalysisResult result = std::move(input.result);
  KeepPages(options, &result);
  // Reports for people say the summary's sentences as findings.
  if (options.format != ReportFormat::kJson)
    std::erase_if(result.properties, [](const Property& p) { return p.id == "summary"; });
  const int status = Write(paths, options, InputOf(paths, options, input, std::move(result)));
  LogPeakMemory(log);
  return status;
}

}  // namespace

extern const ProgramCommandDesc kCompareCommand = {
    "compare", "By how much a step of profile B differs from one of A, and what explains it",
    NewCommand<CompareOptions, AddOptions, Check, Run>};

}  // namespace stepscope
