// The text form of a list of commands, as `replay` reads it:
//
//   # comment
//   view.zoom_in number=2
//   panel.show text="kernel_stats"
//   view.set_range range=12ms..15ms
//   track.place paths="host|GPU 1" paths="host|GPU 0"
//   wait_idle
//   resize 800x600
//   key Ctrl+Z
//   rest 2
//   screenshot out.png
//
// One command a line: an id from the command table (viewer/core/commands/commands.cc) with its
// arguments, a verb of mouse or keyboard (app/replay/replay_input.h), or a word of
// ReplayStep::Kind. Values with blanks are quoted; in quotes \" stands for " and \\ for \. Nothing
// here draws: the command `replay` carries the steps out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/replay/replay_input.h"
#include "app/window/surface.h"
#include "model/base/status.h"
#include "viewer/core/commands/command.h"

namespace stepscope {

struct ReplayStep {
  enum class Kind {
    kCommand,
    kInput,
    kWaitIdle,
    kRest,  // runs without input, and fails if the window does not rest
    kResize,
    kScreenshot
  } kind = Kind::kCommand;
  int line = 0;          // number in the file, from 1
  Command command;       // kCommand
  std::string path;      // kScreenshot
  double seconds = 120;  // kWaitIdle: the longest wait; kRest: the time
  ReplayInput input;     // kInput
  PixelSize size;        // kResize
};

// Parses a whole file. kUsage, with the number of the line, for an unknown command or a malformed
// argument.
Result<std::vector<ReplayStep>> ParseReplay(std::string_view text);

}  // namespace stepscope
