#include "app/commands/profile_input.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "app/session/session.h"
#include "app/system/output.h"
#include "app/system/process.h"
#include "model/analysis/ranks/host_clocks.h"
#include "model/analysis/steps/scope.h"

namespace stepscope {
namespace {

// Returns the trace on the clocks that the options ask for. It is the same trace for the recorded
// clocks, and if there is nothing to align. O(events)
std::shared_ptr<const Trace> OnClocksOf(const PartOptions& options,
                                        std::shared_ptr<const Trace> trace) {
  if (!options.aligned_clocks) return trace;
  AnalysisContext context(trace, Definitions::kStepscope);
  std::shared_ptr<const Trace> aligned = OnOneClock(context, trace);
  return aligned != nullptr ? aligned : trace;
}

AnalysisParams ParamsOf(const PartOptions& options) {
  AnalysisParams params = ForHost(options.host);
  params.steps = options.steps;
  params.range = options.range;
  params.hlo = options.hlo;
  params.peaks = options.peaks;
  return params;
}

}  // namespace

LoadOptions LoadOptionsOf(const InputOptions& input) {
  return {.max_inflated_bytes = input.max_inflated_bytes, .run = input.run};
}

void OpenCommandLine(const InputOptions& input, Session& session) {
  LoadOptions options = LoadOptionsOf(input);
  session.set_load_options(options);
  if (input.sample && !session.view().sample_path.empty()) {
    session.Open({session.view().sample_path}, false);
  } else if (input.compare) {
    session.Open({input.paths[0]}, false);
    session.Open({input.paths[1]}, true);
  } else if (!input.paths.empty()) {
    session.Open(input.paths, false);
  }
  options.run.clear();  // paths that are opened later have other runs
  session.set_load_options(std::move(options));
}

void LogPeakMemory(const Log& log) {
  log.Verbose(fmt::format("peak memory: {} bytes", PeakResidentBytes()));
}

LoadedInput LoadInput(const InputOptions& input, const std::string& host, const Log& log,
                      size_t path) {
  LoadedInput loaded;
  LoadOptions load = LoadOptionsOf(input);
  load.host = host;
  Progress progress;
  const Stopwatch watch;
  Result<std::shared_ptr<const Trace>> trace =
      LoadPath(input.paths[path], load, {}, progress, &loaded.runs);
  if (!trace.ok()) {
    LogError(trace.status().message());
    loaded.exit_code = ExitCodeOf(trace.status());
    return loaded;
  }
  log.Verbose(fmt::format("{}: {} events loaded in {:.3f} s", input.paths[path],
                          trace.value()->counts.events(), watch.Seconds()));
  loaded.trace = std::move(trace).value();
  return loaded;
}

LoadedPart LoadPart(const InputOptions& input, const PartOptions& part, const Log& log,
                    Definitions definitions, const std::string& host, size_t path) {
  const LoadedInput loaded = LoadInput(input, host, log, path);
  LoadedPart result;
  result.exit_code = loaded.exit_code;
  if (!loaded.trace) return result;
  result.trace = OnClocksOf(part, loaded.trace);
  result.context = std::make_unique<AnalysisContext>(result.trace, definitions);
  result.params = ParamsOf(part);
  const Status status = ScopeStatus(*result.context, result.params);
  if (status.ok()) return result;
  LogError("--" + status.message());
  result.exit_code = kExitUsage;
  return result;
}

std::vector<const AnalysisDesc*> ChooseAnalyses(const std::vector<std::string>& panels,
                                                bool compat_xprof) {
  std::vector<const AnalysisDesc*> chosen;
  for (const std::string& id : panels) {
    const AnalysisDesc* analysis = FindAnalysis(id);
    if (!analysis) {
      std::string known;
      for (const AnalysisDesc& a : Analyses())
        known += (known.empty() ? "" : ", ") + std::string(a.id);
      LogError(fmt::format("--panel {}: there is no such panel; known are {}", id, known));
      return {};
    }
    chosen.push_back(analysis);
  }
  if (panels.empty()) {
    for (const AnalysisDesc& a : Analyses()) {
      if (a.in_xprof || !compat_xprof) chosen.push_back(&a);
    }
  }
  return chosen;
}

ComparedInput LoadAndCompare(const InputOptions& paths, const PartOptions& part, const Log& log) {
  ComparedInput input;
  // Loads are not run side by side, because each uses all cores.
  LoadedPart a = LoadPart(paths, part, log);
  input.exit_code = a.exit_code;
  if (input.exit_code != kExitOk) return input;
  LoadedPart b = LoadPart(paths, part, log, Definitions::kStepscope, {}, 1);
  input.exit_code = b.exit_code;
  if (input.exit_code != kExitOk) return input;
  input.params = {a.params, b.params};
  input.a = std::move(a.context);
  input.b = std::move(b.context);
  const Stopwatch watch;
  input.result = Comparison().compare(*input.a, *input.b, input.params);
  log.Verbose(fmt::format("compared in {:.1f} ms", watch.Ms()));
  if (!input.result.empty_reason.empty()) {
    LogError(input.result.empty_reason);
    input.exit_code = kExitNothing;
  }
  return input;
}

}  // namespace stepscope
