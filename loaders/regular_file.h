// Opening a file that comes from outside: whatever stands at the path, it must not hang the
// program.
#pragma once

#include <string>

#include "model/base/status.h"

struct stat;

namespace stepscope {

// A descriptor to read a regular file by, which the caller closes, and what fstat says of it. kIo
// for anything else. Any thread.
Result<int> OpenRegularFile(const std::string& path, struct stat* info);

}  // namespace stepscope
