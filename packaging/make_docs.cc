// Writes the manual page and the completions, made from the rows of the commands, into a folder:
// make_docs VERSION FOLDER
#include <cstdio>
#include <string>

#include "app/commands/registry.h"
#include "app/system/paths.h"
#include "packaging/command_docs.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: make_docs VERSION FOLDER\n", stderr);
    return 2;
  }
  const auto commands = stepscope::ReadCommands(stepscope::ProgramCommands());
  const std::string folder = std::string(argv[2]) + "/";
  const bool ok =
      stepscope::WriteFileAtomically(folder + "stepscope.1",
                                     stepscope::ManPage(commands, argv[1])) &&
      stepscope::WriteFileAtomically(folder + "stepscope.bash",
                                     stepscope::BashCompletion(commands)) &&
      stepscope::WriteFileAtomically(folder + "_stepscope", stepscope::ZshCompletion(commands)) &&
      stepscope::WriteFileAtomically(folder + "stepscope.fish",
                                     stepscope::FishCompletion(commands));
  if (!ok) std::perror(argv[2]);
  return ok ? 0 : 1;
}
