#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "app/commands/commands.h"
#include "app/commands/compare_input.h"
#include "app/commands/part_of_trace.h"
#include "app/commands/write_report.h"
#include "app/exit_code.h"

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
  return WriteReport(
      options, input,
      [&](const TextSink& sink) {
        WriteCompareJson(options.paths[0], options.paths[1], *input.panels.front().result,
                         input.table, sink);
      },
      [&] {
        return fmt::format("compare: there is no table{} of these profiles",
                           input.table.empty() ? "" : " '" + input.table + "'");
      });
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
