#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "app/command_line/command_line.h"
#include "app/commands/command_options.h"
#include "app/commands/profile_input.h"
#include "app/report/event_list.h"
#include "app/report/report.h"
#include "app/system/output.h"
#include "app/system/process.h"
#include "model/analysis/grouping/flow_index.h"
#include "model/analysis/steps/scope.h"
#include "model/analysis/steps/steps.h"
#include "model/analysis/tables/json_stream.h"
#include "model/base/terminal_text.h"
#include "model/lookup.h"
#include "model/query/call_tree.h"
#include "model/query/event_query.h"
#include "model/query/event_stats.h"
#include "model/query/find_events.h"
#include "model/query/merge_stacks.h"

namespace stepscope {
namespace {

void AddEventsOptions(CLI::App& app, InputOptions* input, EventsOptions* options) {
  AddPaths(app, input, true);
  AddRun(app, input);
  AddHost(app, options);
  AddText(app, "--query", &options->query,
          "as in the search box: words, name:, =whole name, track:, process:, cat:, "
          "dur>1ms, arg.KEY=VALUE, arg.KEY:TEXT, -not; all must hold");
  AddPartRange(app, options);
  AddSteps(app, options);
  AddClocks(app, options);
  AddFlag(app, "--stats", &options->stats,
          "statistics instead of a list: count, times and percentiles");
  AddChoice(app, "--group", "BY", &options->group,
            "with --stats, one row for each: name (default), track or step",
            {{"name", GroupBy::kName}, {"track", GroupBy::kTrack}, {"step", GroupBy::kStep}});
  AddChoice(app, "--stacks", "ORDER", &options->stacks,
            "events merged by their callers instead of a list: top-down or bottom-up",
            {{"top-down", StackOrder::kTopDown}, {"bottom-up", StackOrder::kBottomUp}});
  AddFlag(app, "--args", &options->args, "the list with all arguments");
  AddWide(app, &options->wide);
  AddChoice(
      app, "--format", "FORMAT", &options->format, "text (default), json or csv",
      {{"text", ReportFormat::kText}, {"json", ReportFormat::kJson}, {"csv", ReportFormat::kCsv}});
  AddOutput(app, &options->output);
}

std::string CheckEvents(const InputOptions& input, const EventsOptions& options) {
  std::string wrong = NeedOnePath(input);
  if (!wrong.empty()) return wrong;
  const bool stacks = options.stacks != StackOrder::kNone;
  if (options.stats && options.args) return "--args cannot be combined with --stats.";
  if (stacks && options.args) return "--args cannot be combined with --stacks.";
  return stacks && options.stats ? "--stats cannot be combined with --stacks." : "";
}

int Fail(const InputOptions& input, const Status& status) {
  LogError(fmt::format("{}: {}", input.paths[0], status.message()));
  return kExitNothing;
}

// Names the events of the answer, as in "only steps 3 to 7, query matmul"; empty for all events.
std::string AboutText(const LoadedPart& part, const EventsOptions& options) {
  std::string text = PartText(part.params);
  if (!options.host.empty()) text += (text.empty() ? "" : ", ") + ("host " + options.host);
  if (!options.query.empty()) text += (text.empty() ? "" : ", ") + ("query " + options.query);
  return text;
}

void WriteStats(const EventStatsReport& report, const EventsOptions& options,
                const TextSink& sink) {
  if (options.format == ReportFormat::kJson) return WriteStatsJson(report, sink);
  if (options.format == ReportFormat::kCsv) return WriteStatsCsv(report, sink);
  WriteStatsText(report, sink);
}

Status WriteList(const EventListInput& list, const EventsOptions& options, const TextSink& sink) {
  if (options.format == ReportFormat::kJson) return WriteEventsJson(list, sink);
  if (options.format == ReportFormat::kCsv) return WriteEventsCsv(list, sink);
  return WriteEventsText(list, sink);
}

int RunStats(const LoadedPart& part, const EventsOptions& options, const RowBits* rows,
             const Scope& scope, const Log& log) {
  StatsQuestion question;
  question.trace = part.trace.get();
  question.parts = {{0, &part.trace->set, rows}};
  question.scope = scope.whole_time() && options.host.empty() ? nullptr : &scope;
  question.by = options.group;
  if (options.group == GroupBy::kStep) {
    question.steps = &part.context->Get<StepDatabase>();
    question.grouping = &part.context->Get<Grouping>();
  }
  const Stopwatch watch;
  const EventStats stats = AddUp(question);
  log.Verbose(fmt::format("statistics: {:.1f} ms", watch.Ms()));
  Output output(options.output);
  WriteStats({question.trace, &stats, options.group, question.steps, AboutText(part, options),
              options.wide},
             options, output.sink());
  return output.Finish() ? kExitOk : kExitNoResource;
}

int RunStacks(const LoadedPart& part, const EventsOptions& options, const RowBits* rows,
              const Scope& scope) {
  const Trace& trace = *part.trace;
  const bool bottom_up = options.stacks == StackOrder::kBottomUp;
  const bool whole = scope.whole_time() && options.host.empty();
  CallTree tree = BuildCallTree({&trace, rows, whole ? nullptr : &scope});
  if (bottom_up) tree = TurnOver(tree);
  const ResultTable table = CallTreeTable(trace, tree, bottom_up);
  Output output(options.output);
  if (options.format == ReportFormat::kJson) output.sink()(TableJson(table) + "\n");
  if (options.format == ReportFormat::kCsv) WriteCsv(table, output.sink());
  if (options.format == ReportFormat::kText) {
    const std::string about = AboutText(part, options);
    if (!about.empty()) output.sink()(TerminalText(about) + "\n");
    WriteText(table, {0, options.wide ? size_t{0} : size_t{100}}, output.sink());
  }
  return output.Finish() ? kExitOk : kExitNoResource;
}

int RunEvents(const InputOptions& input, const EventsOptions& options, const Log& log) {
  const Result<EventQuery> query = EventQuery::Parse(options.query);
  if (!query.ok()) {
    LogError(fmt::format("--query '{}': {}", options.query, query.status().message()));
    return kExitUsage;
  }
  const LoadedPart part = LoadPart(input, options, log);
  if (part.exit_code != kExitOk) return part.exit_code;
  AnalysisContext& context = *part.context;
  const Scope scope = ScopeOf(context, part.params);
  const Stopwatch watch;
  const Result<std::optional<RowBits>> rows = FindAsked(context, *query);
  if (!rows.ok()) return Fail(input, rows.status());
  log.Verbose(fmt::format("query: {:.1f} ms", watch.Ms()));
  const RowBits* found = *rows ? &**rows : nullptr;
  if (options.stats) {
    const int status = RunStats(part, options, found, scope, log);
    LogPeakMemory(log);
    return status;
  }
  if (options.stacks != StackOrder::kNone) return RunStacks(part, options, found, scope);
  std::optional<FlowIndex> flows;
  if (options.args && HasGpuPlane(context.trace()))
    flows = BuildFlowIndex(context.trace(), &context.Get<Grouping>());
  Output output(options.output);
  const Status written = WriteList(
      {part.trace.get(), found, &scope, options.args, options.wide, flows ? &*flows : nullptr},
      options, output.sink());
  if (!written.ok()) return Fail(input, written);
  LogPeakMemory(log);
  return output.Finish() ? kExitOk : kExitNoResource;
}

}  // namespace

extern const ProgramCommandDesc kEventsCommand = {
    "events", "The events that match, their statistics or their stacks",
    NewCommand<EventsOptions, AddEventsOptions, CheckEvents, RunEvents>};

}  // namespace stepscope
