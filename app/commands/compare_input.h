// Two profiles of the command line, loaded and compared.
#pragma once

#include <memory>

#include "app/commands/load_input.h"
#include "model/compare/compare.h"

namespace stepscope {

struct ComparedInput {
  std::unique_ptr<AnalysisContext> a, b;
  CompareParams params;
  CompareResult compared;
  int exit_code = 0;  // else failed, the error is printed
};

// options.paths[0] and [1], the part that the command line asks for.
ComparedInput LoadAndCompare(const Options& options, const Log& log);

}  // namespace stepscope
