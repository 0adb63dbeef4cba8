// The text form of a list of commands, as `replay` reads it:
//
//   # comment
//   view.zoom_in number=2
//   panel.show text="kernel_stats"
//   view.range range=12ms..15ms
//   wait_idle
//   screenshot out.png
//
// One command a line: an id from the command table and its arguments. Values with blanks are
// quoted;
// \" and \\ stand for themselves in quotes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/base/status.h"
#include "viewer/core/command.h"

namespace stepscope {

struct ReplayStep {
  enum class Kind { kCommand, kWaitIdle, kScreenshot } kind = Kind::kCommand;
  int line = 0;          // in the file, from 1
  Command command;       // kCommand
  std::string path;      // kScreenshot
  double seconds = 120;  // kWaitIdle: longest
};

// kUsage, with the line, for an unknown command or a malformed argument.
Result<std::vector<ReplayStep>> ParseReplay(std::string_view text);

}  // namespace stepscope
