// Mouse and keyboard of a list of commands. The verbs, one a line:
//
//   mouse X Y            moves to a point of the picture, in pixels
//   mouse_down BUTTON    left, right or middle; mouse_up BUTTON lets go
//   wheel Y [X]          turns the wheel by so many notches
//   key CHORD            presses and lets go, as in the command table: Ctrl+Z, Escape, ?
//   hold MODIFIERS       Ctrl, Shift, Alt, with + between them, stay down; hold none lets go
//   type TEXT            types characters
#pragma once

#include <string>
#include <vector>

#include "viewer/core/commands/key_chord.h"

namespace stepscope {

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

}  // namespace stepscope
