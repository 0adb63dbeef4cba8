// Opens files that come from outside without hanging, whatever lies at the path (a pipe, a device).
#pragma once

#include <string>

#include "model/base/status.h"

struct stat;

namespace stepscope {

// A descriptor of a regular file for reading, which the caller closes; `info` gets what fstat says.
// kIo for anything else. Any thread.
Result<int> OpenRegularFile(const std::string& path, struct stat* info);

}  // namespace stepscope
