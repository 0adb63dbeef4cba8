// Asks what to do with profiles that are opened together, or beside one that is open.
#pragma once

#include "viewer/shell/shell.h"

namespace stepscope {

// Draws a modal window with the answers while the session has a question. Arrow keys and Tab
// choose, Enter takes the choice, a letter takes its answer at once, Escape opens nothing. Pushes
// "file.answer". UI thread only.
void DrawOpenQuestion(const ShellInput& input);

}  // namespace stepscope
