#include "app/commands/load_input.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "app/exit_code.h"
#include "app/process_stats.h"
#include "app/session.h"

namespace stepscope {

LoadOptions LoadOptionsOf(const Options& options) {
  LoadOptions load;
  load.run = options.run;
  load.max_inflated_bytes = options.max_inflated_bytes;
  return load;
}

void OpenCommandLine(const Options& options, Session& session) {
  session.set_load_options(LoadOptionsOf(options));
  if (options.sample && !session.view().sample_path.empty()) {
    session.Open({session.view().sample_path}, false);
  } else if (options.compare) {
    session.Open({options.paths[0]}, false);
    session.Open({options.paths[1]}, true);
  } else if (!options.paths.empty()) {
    session.Open(options.paths, false);
  }
}

void LogPeakMemory(const Log& log) {
  log.Verbose(fmt::format("peak memory: {} bytes", PeakResidentBytes()));
}

LoadedInput LoadInput(const Options& options, const std::string& host, const Log& log,
                      size_t path) {
  LoadedInput input;
  LoadOptions load = LoadOptionsOf(options);
  load.host = host;
  Progress progress;
  const auto begin = std::chrono::steady_clock::now();
  Result<std::shared_ptr<const Trace>> trace =
      LoadPath(options.paths[path], load, {}, progress, &input.runs);
  if (!trace.ok()) {
    LogError(trace.status().message());
    input.exit_code = ExitCodeOf(trace.status());
    return input;
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  log.Verbose(fmt::format("{}: {} events loaded in {:.3f} s", options.paths[path],
                          trace.value()->counts.events(), seconds.count()));
  input.trace = std::move(trace).value();
  return input;
}

}  // namespace stepscope
