// What a list of commands does with mouse and keyboard. The verbs, one a line:
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

#include "viewer/core/key_chord.h"

namespace stepscope {

class Gui;

struct ReplayInput {
  enum class Kind { kMouse, kDown, kUp, kWheel, kKey, kHold, kType } kind = Kind::kMouse;
  float x = 0, y = 0;
  int button = 0;     // of Dear ImGui
  int modifiers = 0;  // kHold: ImGuiMod_
  KeyChord chord;     // kKey
  std::string text;   // kType
};

bool IsInputVerb(const std::string& word);
// The words of a line whose first is a verb. Empty if they are understood, else what is wrong.
std::string ReadInput(const std::vector<std::string>& words, ReplayInput* input);
// Does it and draws: a frame for each press and each release.
void Play(const ReplayInput& input, Gui* gui);

}  // namespace stepscope
