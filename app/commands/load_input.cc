#include "app/commands/load_input.h"

#include <fmt/format.h>

#include <utility>

#include "app/session/session.h"
#include "app/system/output.h"
#include "app/system/process.h"

namespace stepscope {

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
  options.run.clear();  // it is of these paths: what is opened later has others
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

}  // namespace stepscope
