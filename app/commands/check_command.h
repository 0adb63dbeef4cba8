// Options of `stepscope check`: whether profile B is worse than profile A by more than allowed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/command_line/shared_options.h"
#include "app/commands/allowance.h"

namespace stepscope {

struct CheckOptions : PartOptions {
  std::optional<Allowance> max_step_regression;    // without percent: ms
  std::optional<Allowance> max_memory_regression;  // without percent: bytes
  std::vector<PropertyLimit> limits;
  std::vector<std::string> forbidden;  // ids of rules of findings
};

}  // namespace stepscope
