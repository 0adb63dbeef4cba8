#include <fmt/format.h>

#include <chrono>
#include <string>

#include "app/commands/commands.h"
#include "app/commands/load_input.h"
#include "app/commands/part_of_trace.h"
#include "app/exit_code.h"
#include "app/output.h"
#include "app/report/event_list.h"
#include "app/report/event_stats_report.h"
#include "app/report/report.h"
#include "model/analysis/scope.h"
#include "model/analysis/steps.h"
#include "model/query/asked_events.h"
#include "model/query/event_query.h"
#include "model/query/event_stats.h"

namespace stepscope {
namespace {

int Fail(const Options& options, const Status& status) {
  LogError(fmt::format("{}: {}", options.paths[0], status.message()));
  return kExitNothing;
}

// "only steps 3 to 7, query matmul": which events are meant; empty: all.
std::string AboutText(const Options& options) {
  std::string text = PartText(PartOf(options));
  if (!options.host.empty()) text += (text.empty() ? "" : ", ") + ("host " + options.host);
  if (!options.query.empty()) text += (text.empty() ? "" : ", ") + ("query " + options.query);
  return text;
}

void WriteStats(const EventStatsReport& report, const Options& options, const TextSink& sink) {
  if (options.format == ReportFormat::kJson) return WriteStatsJson(report, sink);
  if (options.format == ReportFormat::kCsv) return WriteStatsCsv(report, sink);
  WriteStatsText(report, sink);
}

Status WriteList(const EventListInput& list, const Options& options, const TextSink& sink) {
  if (options.format == ReportFormat::kJson) return WriteEventsJson(list, sink);
  if (options.format == ReportFormat::kCsv) return WriteEventsCsv(list, sink);
  return WriteEventsText(list, sink);
}

int RunStats(const Options& options, AnalysisContext& context, const RowBits* rows,
             const Scope& scope, const Log& log) {
  StatsQuestion question;
  question.trace = &context.trace();
  question.parts = {{0, &context.trace().set, rows}};
  question.scope = scope.whole_time() && options.host.empty() ? nullptr : &scope;
  question.by = options.group;
  if (options.group == GroupBy::kStep) {
    question.steps = &context.steps();
    question.grouping = &context.grouping();
  }
  const auto begin = std::chrono::steady_clock::now();
  const EventStats stats = AddUp(question);
  const std::chrono::duration<double, std::milli> ms = std::chrono::steady_clock::now() - begin;
  log.Verbose(fmt::format("statistics: {:.1f} ms", ms.count()));
  Output output(options.output);
  WriteStats(
      {question.trace, &stats, options.group, question.steps, AboutText(options), options.wide},
      options, output.sink());
  return output.Finish() ? kExitOk : kExitNoResource;
}

}  // namespace

int RunEvents(const Options& options, const Log& log) {
  const Result<EventQuery> query = EventQuery::Parse(options.query);
  if (!query.ok()) {
    LogError(fmt::format("--query '{}': {}", options.query, query.status().message()));
    return kExitUsage;
  }
  const LoadedInput loaded = LoadInput(options, {}, log);
  if (!loaded.trace) return loaded.exit_code;
  AnalysisContext context(loaded.trace, Definitions::kStepscope);
  const AnalysisParams params = PartOf(options);
  if (!CheckPart(context, params)) return kExitUsage;
  const Scope scope = ScopeOf(context, params, {});
  const auto begin = std::chrono::steady_clock::now();
  const Result<std::optional<RowBits>> rows = FindAsked(context, *query);
  if (!rows.ok()) return Fail(options, rows.status());
  const std::chrono::duration<double, std::milli> ms = std::chrono::steady_clock::now() - begin;
  log.Verbose(fmt::format("query: {:.1f} ms", ms.count()));
  const RowBits* found = *rows ? &**rows : nullptr;
  if (options.stats) {
    const int status = RunStats(options, context, found, scope, log);
    LogPeakMemory(log);
    return status;
  }
  Output output(options.output);
  const Status written = WriteList({loaded.trace.get(), found, &scope, options.args, options.wide},
                                   options, output.sink());
  if (!written.ok()) return Fail(options, written);
  LogPeakMemory(log);
  return output.Finish() ? kExitOk : kExitNoResource;
}

}  // namespace stepscope
