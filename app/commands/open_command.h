// The program without a command: opens the window.
#pragma once

#include <string>
#include <vector>

#include "model/base/status.h"

namespace stepscope {

// Checks the paths that the window is to open. kUsage for a word that may be meant as a command,
// kIo for a path that leads nowhere.
Status CheckPaths(const std::vector<std::string>& paths);

}  // namespace stepscope
