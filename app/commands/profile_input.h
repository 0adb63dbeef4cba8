// Loads the profiles that the command line names, and the part of them that it asks for.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/command_line/command_line.h"
#include "app/system/output.h"
#include "loaders/loader.h"
#include "model/analysis/analysis.h"
#include "model/trace.h"

namespace stepscope {

class Session;

// Returns load options with the run and the limit that the command line sets.
LoadOptions LoadOptionsOf(const InputOptions& input);

// Begins to load the sample, the paths, or the two paths to compare. Returns at once.
void OpenCommandLine(const InputOptions& input, Session& session);

struct LoadedInput {
  std::shared_ptr<const Trace> trace;  // null: the load failed and the error is printed
  std::vector<std::string> runs;
  int exit_code = 0;
};

// Loads input.paths[path]. If `host` is not empty, only that host is read.
LoadedInput LoadInput(const InputOptions& input, const std::string& host, const Log& log,
                      size_t path = 0);

struct LoadedPart {
  std::shared_ptr<const Trace> trace;
  std::unique_ptr<AnalysisContext> context;
  AnalysisParams params;
  int exit_code = 0;  // not 0: the part is empty or the load failed, and the error is printed
};

// Loads a profile as LoadInput() does, puts it on the clocks that the options ask for, and checks
// that it has something in the part. O(events)
LoadedPart LoadPart(const InputOptions& input, const PartOptions& part, const Log& log,
                    Definitions definitions = Definitions::kStepscope, const std::string& host = {},
                    size_t path = 0);

// With --verbose, prints the peak of memory so far, for people and for tests.
void LogPeakMemory(const Log& log);

// Returns the analyses with these ids in their order, or all if there are no ids. `compat_xprof`
// leaves out the ones that XProf lacks. Empty if an id is unknown; the error is printed then.
std::vector<const AnalysisDesc*> ChooseAnalyses(const std::vector<std::string>& panels,
                                                bool compat_xprof = false);

// The end of errors of --threshold and --forbid: where the user finds the ids of rules.
inline constexpr const char* kListsRules = "`report --panel findings --table rules` lists them";

struct ComparedInput {
  std::unique_ptr<AnalysisContext> a, b;
  CompareParams params;
  AnalysisResult result;
  int exit_code = 0;  // not 0: loading failed, and the error is printed
};

// Loads profile A (paths.paths[0]) and B ([1]) and compares the part of each that the command line
// asks for.
ComparedInput LoadAndCompare(const InputOptions& paths, const PartOptions& part, const Log& log);

}  // namespace stepscope
