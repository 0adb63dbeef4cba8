// The commands of the program. Start reading at registry.cc, which has a row for each.
#pragma once

#include "app/command_line/command_line.h"

namespace stepscope {

// In the order of --help. The first is what the program does without a command.
ProgramCommandDescs ProgramCommands();

}  // namespace stepscope
