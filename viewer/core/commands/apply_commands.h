// Applies what was pushed in a frame. UI thread only.
#pragma once

#include "viewer/core/commands/command.h"
#include "viewer/core/commands/context.h"

namespace stepscope {

// Applies all commands of the queue that are known and enabled, and those that they push. Scripts
// and tables of closed profiles may hold anything, so arguments are made safe first: events without
// a profile get the active one, events that do not exist are removed, and pixels are bounded.
void ApplyCommands(ViewerContext& context, CommandQueue* commands);

}  // namespace stepscope
