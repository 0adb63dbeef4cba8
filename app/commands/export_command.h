// Options of `stepscope export`: the trace, or a part of it, as Chrome JSON.
#pragma once

#include <string>

#include "app/command_line/shared_options.h"

namespace stepscope {

struct ExportOptions : PartOptions {
  std::string output;  // compressed if it ends with .gz; empty: standard output
};

}  // namespace stepscope
