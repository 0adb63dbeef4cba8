// Exit statuses of the program, which docs/interface.md#exit-status promises to scripts.
#pragma once

#include "model/base/status.h"

namespace stepscope {

enum ExitCode : int {
  kExitOk = 0,
  kExitCheckFailed = 1,    // `check` found a regression
  kExitUsage = 2,          // wrong usage, unknown panel, a question the profile cannot answer
  kExitNothing = 3,        // nothing usable in the input
  kExitNoResource = 4,     // the machine lacks what is needed (no GL)
  kExitInterrupted = 130,  // Ctrl+C; the number is that of shells
};

inline int ExitCodeOf(const Status& status) {
  if (status.ok()) return kExitOk;
  return status.code() == ErrorCode::kUsage ? kExitUsage : kExitNothing;
}

}  // namespace stepscope
