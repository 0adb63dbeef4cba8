#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "app/commands/commands.h"
#include "app/commands/compare_input.h"
#include "app/commands/part_of_trace.h"
#include "app/exit_code.h"
#include "app/output.h"
#include "app/report/report.h"

namespace stepscope {
namespace {

constexpr AnalysisDesc kCompare{
    "compare", "Comparison", "What changed from A to B, per step, and what explains it.", nullptr};

// Contributions and the tables of the panels that were asked for.
void KeepPanels(const Options& options, AnalysisResult* result) {
  const std::vector<std::string>& panels = options.panels;
  const bool one_table = options.format == ReportFormat::kCsv && options.table.empty();
  std::erase_if(result->tables, [&](const ResultTable& table) {
    if (panels.empty() || table.id == options.table) return false;
    if (table.id == "contributions") return one_table;
    const std::string panel = PanelOfComparison(table.id);
    return std::find(panels.begin(), panels.end(), panel) == panels.end();
  });
}

ReportInput InputOf(const Options& options, const ComparedInput& input, AnalysisResult result) {
  const Trace &a = input.a->trace(), &b = input.b->trace();
  ReportInput report;
  report.path = "A: " + options.paths[0] + ", B: " + options.paths[1];
  report.run = a.run == b.run ? a.run : a.run + " and " + b.run;
  report.host = options.host;
  report.table = options.table;
  report.wide = options.wide;
  report.params = input.params.a;
  report.panels.push_back(
      {&kCompare, std::make_shared<const AnalysisResult>(std::move(result)), {}, {}});
  return report;
}

int Write(const Options& options, const ReportInput& input) {
  const bool one_table = !input.table.empty() || options.format == ReportFormat::kCsv;
  const std::shared_ptr<const ResultTable> table = one_table ? ReportTable(input) : nullptr;
  if (one_table && !table) {
    LogError(fmt::format("compare: there is no table{} of these profiles",
                         input.table.empty() ? "" : " '" + input.table + "'"));
    return kExitUsage;
  }
  Output output(options.output);
  switch (options.format) {
    case ReportFormat::kText:
      WriteReportText(input, output.sink());
      break;
    case ReportFormat::kJson:
      WriteCompareJson(options.paths[0], options.paths[1], *input.panels.front().result,
                       input.table, output.sink());
      break;
    case ReportFormat::kCsv:
      WriteCsv(*table, output.sink());
      break;
    case ReportFormat::kHtml:
      WriteReportHtml(input, output.sink());
      break;
  }
  return output.Finish() ? kExitOk : kExitNoResource;
}

}  // namespace

int RunCompare(const Options& options, const Log& log) {
  if (ChooseAnalyses(options.panels).empty()) return kExitUsage;
  ComparedInput input = LoadAndCompare(options, log);
  if (input.exit_code != kExitOk) return input.exit_code;
  AnalysisResult result = std::move(input.compared.result);
  KeepPanels(options, &result);
  const int status = Write(options, InputOf(options, input, std::move(result)));
  LogPeakMemory(log);
  return status;
}

}  // namespace stepscope
