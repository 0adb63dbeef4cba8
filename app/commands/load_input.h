// Loading for commands that only need the model: one path to a trace, errors printed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/log.h"
#include "app/options.h"
#include "model/trace.h"

namespace stepscope {

struct LoadedInput {
  std::shared_ptr<const Trace> trace;  // null: failed, the error is printed
  std::vector<std::string> runs;
  int exit_code = 0;
};

// options.paths[0], options.run; `host` restricts what is read, if given.
LoadedInput LoadInput(const Options& options, const std::string& host, const Log& log);

}  // namespace stepscope
