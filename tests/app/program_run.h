// Runs the program as a user does, for tests.
#pragma once

#include <sys/wait.h>

#include <cstdlib>
#include <string>

#include "app/system/paths.h"
#include "tests/app/temp_dir.h"
#include "tests/support/source_paths.h"

namespace stepscope {

struct ProgramRun {
  int status = -1;
  std::string out, error;
};

// `arguments` goes through the shell, so special characters have to be quoted. What the program
// says and what it keeps lies in `dir`.
inline ProgramRun RunProgram(const TempDir& dir, const std::string& arguments,
                             const std::string& environment = {}) {
  const std::string out = (dir.path() / "out").string(), error = (dir.path() / "err").string();
  const std::string command = environment + " STEPSCOPE_CONFIG_DIR=" + dir.path().string() +
                              "/config '" + test::ProgramPath() + "' " + arguments + " >" + out +
                              " 2>" + error + " </dev/null";
  const int raw = std::system(command.c_str());
  ProgramRun run;
  run.status = WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
  run.out = ReadSmallFile(out);
  run.error = ReadSmallFile(error);
  return run;
}

}  // namespace stepscope
