// A test runs the program as a user does here.
#pragma once

#include <sys/wait.h>

#include <cstdlib>
#include <string>

#include "app/system/paths.h"
#include "tests/app/temp_dir.h"
#include "tests/support/source_paths.h"

namespace stepscope {

struct FinishedProgram {
  int status = -1;
  std::string out, error;
};

// The shell reads `arguments`, so special characters have to be quoted. The program's output and
// settings are written below `dir`.
inline FinishedProgram RunProgram(const TempDir& dir, const std::string& arguments,
                                  const std::string& environment = {}) {
  const std::string out = (dir.path() / "out").string(), error = (dir.path() / "err").string();
  const std::string command = environment + " STEPSCOPE_CONFIG_DIR=" + dir.path().string() +
                              "/config '" + test::ProgramPath() + "' </dev/null " + arguments +
                              " >" + out + " 2>" + error;
  const int raw = std::system(command.c_str());
  FinishedProgram run;
  run.status = WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
  run.out = ReadSmallFile(out);
  run.error = ReadSmallFile(error);
  return run;
}

}  // namespace stepscope
