// What `info` prints: the contents of a loaded profile, for people or as JSON
// (docs/interface.md#info).
#pragma once

#include <string>
#include <vector>

#include "model/trace.h"

namespace stepscope {

struct InfoInput {
  std::string path;               // as the user gave it
  std::vector<std::string> runs;  // newest first
  const Trace* trace = nullptr;   // never null
  size_t steps = 0;               // rows of the overview's table "steps"
};

std::string InfoJson(const InfoInput& input);
std::string InfoText(const InfoInput& input);

}  // namespace stepscope
