// Where commands put their result: a file, or standard output.
#pragma once

#include <string>
#include <string_view>

namespace stepscope {

// To `path`, or to standard output if it is empty or "-". False, with the error logged, if that
// failed; a reader that closed the pipe is no error.
bool WriteOutput(const std::string& path, std::string_view text);

}  // namespace stepscope
