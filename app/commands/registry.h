// The commands of the program. Start reading at registry.cc, which has a row for each.
#pragma once

#include "app/command_line/command_line.h"

namespace stepscope {

// The commands in the order of --help. The first has no name: it runs without a command.
ProgramCommandDescs ProgramCommands();

}  // namespace stepscope
