// The program without a command: opens the window.
#pragma once

#include <string>
#include <vector>

#include "app/command_line/shared_options.h"
#include "app/system/output.h"
#include "model/base/status.h"

namespace stepscope {

// Opens the window on the paths of the command line, and returns the program's exit status when it
// is closed. UI thread.
int OpenWindow(const InputOptions& input, const Log& log);

// Checks the paths that the window is to open. kUsage for a word that may be meant as a command,
// kIo for a path that leads nowhere.
Status CheckPaths(const std::vector<std::string>& paths);

}  // namespace stepscope
