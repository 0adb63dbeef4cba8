// What the command line asks to load: into a session, or, for commands that only need the model,
// one path to a trace with errors printed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/log.h"
#include "app/options.h"
#include "loaders/loader.h"
#include "model/trace.h"

namespace stepscope {

class Session;

// The run and the limits that the command line sets.
LoadOptions LoadOptionsOf(const Options& options);

// Begins to load the sample, the paths, or the two paths to compare.
void OpenCommandLine(const Options& options, Session& session);

struct LoadedInput {
  std::shared_ptr<const Trace> trace;  // null: failed, the error is printed
  std::vector<std::string> runs;
  int exit_code = 0;
};

// With --verbose: the most memory the program has had so far, for people and for tests.
void LogPeakMemory(const Log& log);

// options.paths[path], options.run; `host` restricts what is read, if given.
LoadedInput LoadInput(const Options& options, const std::string& host, const Log& log,
                      size_t path = 0);

}  // namespace stepscope
