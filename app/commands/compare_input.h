// Loads and compares the two profiles of the command line, for `compare` and `check`.
#pragma once

#include <memory>

#include "app/command_line/shared_options.h"
#include "app/commands/load_input.h"
#include "model/analysis/analysis.h"

namespace stepscope {

struct ComparedInput {
  std::unique_ptr<AnalysisContext> a, b;
  CompareParams params;
  AnalysisResult result;
  int exit_code = 0;  // not 0: it failed, and the error is printed
};

// Loads profile A (paths.paths[0]) and B ([1]) and compares the part of each that the command line
// asks for.
ComparedInput LoadAndCompare(const InputOptions& paths, const PartOptions& part, const Log& log);

}  // namespace stepscope
