#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "app/command_line/command_line.h"
#include "app/commands/command_options.h"
#include "app/commands/profile_input.h"
#include "app/commands/report_command.h"
#include "app/system/output.h"
#include "app/system/process.h"
#include "model/analysis/findings/findings.h"

namespace stepscope {
namespace {

void AddReportOptions(CLI::App& app, InputOptions* input, ReportOptions* options) {
  AddPaths(app, input, true);
  AddPart(app, input, options);
  AddClocks(app, options);
  AddForm(app, options);
  AddHloChoice(app, options);
  AddPeaks(app, options);
  AddWord(app, "--compat", "TEXT", "xprof: all numbers by the definitions of XProf 2.24.2",
          {"xprof"}, [options](size_t) { options->compat_xprof = true; });
  AddRepeated(app, "--threshold", "RULE=VALUE",
              "threshold of a rule of findings, as in copies=2; may be repeated",
              [options](const std::string& text) -> std::string {
                FindingThresholds thresholds;
                if (!thresholds.Set(text))
                  return std::string("is not RULE=NUMBER of a rule that there is; ") + kListsRules;
                options->thresholds.push_back(text);
                return {};
              });
}

std::string CheckReport(const InputOptions& input, const ReportOptions& options) {
  std::string wrong = NeedOnePath(input);
  const bool csv = options.format == ReportFormat::kCsv;
  if (!wrong.empty() || !csv || options.panels.size() == 1 || !options.table.empty()) return wrong;
  return "--format csv gives one table: name its panel with --panel or the table with --table";
}

int Write(const ReportInput& input, const ReportOptions& options) {
  return WriteReport(
      options, input, [&](const TextSink& sink) { WriteReportJson(input, sink); },
      [&] {
        const std::string reason =
            input.panels.size() == 1 ? input.panels.front().Result()->empty_reason : std::string();
        return fmt::format("{}: no table{}{}", input.path,
                           input.table.empty() ? "" : " '" + input.table + "' in these panels",
                           reason.empty() ? "" : "; " + reason);
      });
}

// Computes the findings with the thresholds of the command line. Returns null for other analyses,
// and without thresholds; the context has these results.
std::shared_ptr<const AnalysisResult> ComputeFindings(const AnalysisDesc& analysis,
                                                      const AnalysisParams& params,
                                                      const ReportOptions& options,
                                                      AnalysisContext& context) {
  FindingThresholds thresholds;
  for (const std::string& text : options.thresholds) thresholds.Set(text);
  if (options.thresholds.empty() || analysis.id != std::string_view("findings")) return nullptr;
  return std::make_shared<const AnalysisResult>(FindAll(context, params, thresholds));
}

// Computes the result of a page. With `keep` the context keeps the result for further requests.
std::shared_ptr<const AnalysisResult> Compute(const AnalysisDesc& analysis,
                                              const AnalysisParams& params, bool keep,
                                              const ReportOptions& options,
                                              AnalysisContext& context, const Log& log) {
  const Stopwatch watch;
  auto result = ComputeFindings(analysis, params, options, context);
  if (!result && keep) result = context.Get(analysis.id, params);
  if (!result)
    result = std::make_shared<const AnalysisResult>(RunAnalysis(analysis, context, params));
  log.Verbose(fmt::format("{}: {:.1f} ms", analysis.id, watch.Ms()));
  return result;
}

int RunReport(const InputOptions& input, const ReportOptions& options, const Log& log) {
  std::vector<const AnalysisDesc*> analyses = ChooseAnalyses(options.panels, options.compat_xprof);
  if (analyses.empty()) return kExitUsage;
  const LoadedPart part = LoadPart(
      input, options, log, options.compat_xprof ? Definitions::kXprof : Definitions::kStepscope);
  if (part.exit_code != kExitOk) return part.exit_code;
  if (options.panels.empty()) {  // pages asked for by name stay
    std::erase_if(analyses, [&](const auto* desc) { return !AppliesTo(*desc, *part.trace); });
  }

  ReportInput report{input.paths[0],
                     part.trace->run,
                     options.host,
                     options.table,
                     options.compat_xprof,
                     options.wide,
                     {}};
  report.params = part.params;
  report.trace = part.trace;
  for (const AnalysisDesc* analysis : analyses) {
    const bool keep = !options.table.empty();  // a report of one table reads its result twice
    report.panels.push_back(
        {analysis, nullptr, WhatOf(*analysis, *part.context), [&, analysis, keep] {
           return Compute(*analysis, part.params, keep, options, *part.context, log);
         }});
  }
  const int status = Write(report, options);
  LogPeakMemory(log);
  return status;
}

}  // namespace

extern const ProgramCommandDesc kReportCommand = {
    "report", "The panels as text or data",
    NewCommand<ReportOptions, AddReportOptions, CheckReport, RunReport>};

int WriteReport(const ReportForm& form, const ReportInput& input,
                const std::function<void(const TextSink&)>& json,
                const std::function<std::string()>& no_table) {
  const bool one_table = !input.table.empty() || form.format == ReportFormat::kCsv;
  const std::shared_ptr<const ResultTable> table = one_table ? ReportTable(input) : nullptr;
  if (one_table && !table) {
    LogError(no_table());
    return kExitUsage;
  }
  Output output(form.output);
  if (form.format == ReportFormat::kText) WriteReportText(input, output.sink());
  if (form.format == ReportFormat::kJson) json(output.sink());
  if (form.format == ReportFormat::kCsv) WriteCsv(*table, output.sink());
  if (form.format == ReportFormat::kHtml) WriteReportHtml(input, output.sink());
  return output.Finish() ? kExitOk : kExitNoResource;
}

}  // namespace stepscope
