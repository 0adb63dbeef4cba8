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
// arguments, a verb of mouse or keyboard (app/replay/replay_input.h), or one of the words
// wait_idle, rest, resize and screenshot. Values with blanks are quoted; in quotes \" stands for "
// and \\ for \. Nothing here draws: the command `replay` carries the steps out.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "app/replay/replay_input.h"
#include "app/window/surface.h"
#include "model/base/status.h"
#include "viewer/core/commands/command.h"

namespace stepscope {

struct WaitIdle {
  double seconds = 120;  // the longest wait
};
struct Rest {  // runs without input, and fails if the window does not rest
  double seconds = 0;
};
struct Resize {
  PixelSize size;
};
struct Screenshot {
  std::string path;
};

struct ReplayStep {
  int line = 0;  // number in the file, from 1
  std::variant<WaitIdle, Rest, Resize, Screenshot, ReplayInput, Command> action;
};

// Parses a whole file. kUsage, with the number of the line, for an unknown command or a malformed
// argument.
Result<std::vector<ReplayStep>> ParseReplay(std::string_view text);

}  // namespace stepscope
