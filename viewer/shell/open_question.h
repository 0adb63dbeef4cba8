// The question what to do with profiles that are opened together, or dropped on one that is open.
#pragma once

#include "viewer/shell/shell.h"

namespace stepscope {

// While the session has a question: a modal window with its answers. Arrow keys and Tab choose,
// Enter takes, a letter takes at once, Escape opens nothing. Pushes file.answer.
void DrawOpenQuestion(const ShellInput& input);

}  // namespace stepscope
