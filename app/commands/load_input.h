// Loads what the command line names: into a session, or, for commands without a window, one path
// as a trace.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/command_line/shared_options.h"
#include "app/system/output.h"
#include "loaders/loader.h"
#include "model/trace.h"

namespace stepscope {

class Session;

// Load options with the run and the limit that the command line sets.
LoadOptions LoadOptionsOf(const InputOptions& input);

// Begins to load the sample, the paths, or the two paths to compare. Returns at once.
void OpenCommandLine(const InputOptions& input, Session& session);

struct LoadedInput {
  std::shared_ptr<const Trace> trace;  // null: the load failed and the error is printed
  std::vector<std::string> runs;
  int exit_code = 0;
};

// With --verbose, says the peak of memory so far, for people and for tests.
void LogPeakMemory(const Log& log);

// Loads input.paths[path]. If `host` is not empty, only that host is read.
LoadedInput LoadInput(const InputOptions& input, const std::string& host, const Log& log,
                      size_t path = 0);

}  // namespace stepscope
