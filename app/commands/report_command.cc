#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string_view>
#include <utility>

#include "app/commands/commands.h"
#include "app/commands/load_input.h"
#include "app/commands/part_of_trace.h"
#include "app/commands/write_report.h"
#include "app/exit_code.h"
#include "model/allocator_history.h"
#include "model/analysis/findings/findings.h"

namespace stepscope {
namespace {

int Write(const ReportInput& input, const Options& options) {
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

// Findings above thresholds that were given; null: the analysis's own will do.
std::shared_ptr<const AnalysisResult> ComputeFindings(const AnalysisDesc& analysis,
                                                      const AnalysisParams& params,
                                                      const Options& options,
                                                      AnalysisContext& context) {
  FindingThresholds thresholds;
  for (const std::string& text : options.thresholds) thresholds.Set(text);
  if (options.thresholds.empty() || analysis.id != std::string_view("findings")) return nullptr;
  return std::make_shared<const AnalysisResult>(FindAll(context, params, thresholds, {}));
}

// What a panel is written from. `keep`: it is asked for again.
std::shared_ptr<const AnalysisResult> Compute(const AnalysisDesc& analysis,
                                              const AnalysisParams& params, bool keep,
                                              const Options& options, AnalysisContext& context,
                                              const Log& log) {
  const auto begin = std::chrono::steady_clock::now();
  auto result = ComputeFindings(analysis, params, options, context);
  if (!result) result = context.Get(analysis.id, params);
  if (!keep) context.Forget(analysis.id, params);
  const std::chrono::duration<double, std::milli> ms = std::chrono::steady_clock::now() - begin;
  log.Verbose(fmt::format("{}: {:.1f} ms", analysis.id, ms.count()));
  return result;
}

// A snapshot has nothing to say of steps and kernels, other profiles have none of snapshots: unless
// asked, neither is mentioned.
void LeaveOutOthers(const Trace& trace, std::vector<const AnalysisDesc*>* analyses) {
  const bool snapshot = HistoryOf(trace) != nullptr;
  std::erase_if(*analyses, [&](const AnalysisDesc* analysis) {
    const std::string_view id = analysis->id;
    if (!snapshot) return id == "memory_snapshot";
    return id != "memory_snapshot" && id != "findings" && id != "diagnostics";
  });
}

}  // namespace

int RunReport(const Options& options, const Log& log) {
  std::vector<const AnalysisDesc*> analyses = ChooseAnalyses(options.panels, options.compat_xprof);
  if (analyses.empty()) return kExitUsage;
  const LoadedInput loaded = LoadInput(options, {}, log);
  if (!loaded.trace) return loaded.exit_code;
  if (options.panels.empty()) LeaveOutOthers(*loaded.trace, &analyses);

  ReportInput input{options.paths[0],
                    loaded.trace->run,
                    options.host,
                    options.table,
                    options.compat_xprof,
                    options.wide,
                    {}};
  AnalysisContext context(loaded.trace,
                          options.compat_xprof ? Definitions::kXprof : Definitions::kStepscope);
  const AnalysisParams params = PartOf(options);
  if (!CheckPart(context, params)) return kExitUsage;
  input.params = params;
  input.trace = loaded.trace;
  for (const AnalysisDesc* analysis : analyses) {
    // Others build on the kernels, and one table is looked for before it is written.
    const bool keep = !options.table.empty() || analysis->id == std::string_view("kernel_stats");
    input.panels.push_back({analysis, nullptr, WhatOf(*analysis, context), [&, analysis, keep] {
                              return Compute(*analysis, params, keep, options, context, log);
                            }});
  }
  const int status = Write(input, options);
  LogPeakMemory(log);
  return status;
}

}  // namespace stepscope
