// The program without a command, which opens the window.
#pragma once

#include <string>
#include <vector>

#include "app/command_line/command_line.h"
#include "app/system/output.h"
#include "model/base/status.h"

namespace stepscope {

// Opens the window on the paths of the command line, and returns the program's exit status when it
// is closed. UI thread.
int OpenWindow(const InputOptions& input, const Log& log);

// Checks the paths that the window will open. kUsage for a word that may be a mistyped command, kIo
// for a path without a file.
Status CheckPaths(const std::vector<std::string>& paths);

}  // namespace stepscope
