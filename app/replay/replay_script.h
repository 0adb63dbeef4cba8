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
// One command a line: an id from the command table (viewer/core/commands/command.h) with its
// arguments, a verb of mouse or keyboard (app/replay/replay_script.h), or one of the words
// wait_idle, rest, resize and screenshot. Values with blanks are quoted; in quotes \" stands for "
// and \\ for \. Nothing here draws: the command `replay` carries the steps out.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "app/window/surface.h"
#include "model/base/status.h"
#include "viewer/core/commands/command.h"
#include "viewer/core/commands/keys.h"

namespace stepscope {

// Mouse and keyboard of a list of commands. The verbs, one a line:
//
//   mouse X Y            moves to a point of the picture, in pixels
//   mouse_down BUTTON    left, right or middle; mouse_up BUTTON lets go
//   wheel Y [X]          turns the wheel by so many notches
//   key CHORD            presses and lets go, as in the command table: Ctrl+Z, Escape, ?
//   hold MODIFIERS       Ctrl, Shift, Alt, with + between them, stay down; hold none lets go
//   type TEXT            types characters
class Gui;

struct ReplayInput {
  enum class Kind { kMouse, kDown, kUp, kWheel, kKey, kHold, kType } kind = Kind::kMouse;
  float x = 0, y = 0;
  int button = 0;     // as Dear ImGui numbers it
  int modifiers = 0;  // kHold: ImGuiMod_ flags
  KeyChord chord;     // kKey
  std::string text;   // kType
};

bool IsInputVerb(const std::string& word);
// Reads the words of a line, the first of which is a verb. Returns what is wrong with them, or an
// empty text.
std::string ReadInput(const std::vector<std::string>& words, ReplayInput* input);
// Does the input and draws a frame; a key gets one frame for its press and one for its release.
void Play(const ReplayInput& input, Gui* gui);

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
