// The text form of a list of commands, as `replay` reads it:
//
//   # comment
//   view.zoom_in number=2
//   panel.show text="kernel_stats"
//   view.range range=12ms..15ms
//   track.place paths="host|GPU 1" paths="host|GPU 0"
//   wait_idle
//   resize 800x600
//   key Ctrl+Z
//   rest 2
//   screenshot out.png
//
// One command a line: an id from the command table and its arguments, a verb of mouse or keyboard
// (app/replay_input.h), or what stands in ReplayStep::Kind. Values with blanks are quoted; \" and
// \\ stand for themselves in quotes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/replay_input.h"
#include "app/surface.h"
#include "model/base/status.h"
#include "viewer/core/command.h"

namespace stepscope {

struct ReplayStep {
  enum class Kind {
    kCommand,
    kInput,
    kWaitIdle,
    kRest,  // sleeps as a window in which nothing happens, and fails if it does not
    kResize,
    kScreenshot
  } kind = Kind::kCommand;
  int line = 0;          // in the file, from 1
  Command command;       // kCommand
  std::string path;      // kScreenshot
  double seconds = 120;  // kWaitIdle: longest; kRest
  ReplayInput input;     // kInput
  PixelSize size;        // kResize
};

// kUsage, with the line, for an unknown command or a malformed argument.
Result<std::vector<ReplayStep>> ParseReplay(std::string_view text);

}  // namespace stepscope
