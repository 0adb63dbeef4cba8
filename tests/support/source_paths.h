// The paths of the repository, of the recordings beside it and of the program, for tests. One
// source alone knows these paths, so that every other object of the tests is the same in every
// checkout and comes from ccache.
#pragma once

#include <string>
#include <string_view>

namespace stepscope::test {

// Absolute path of a file or folder of the repository; `relative` has no leading slash.
std::string SourcePath(std::string_view relative);

// Absolute path below the folder of recorded profiles (STEPSCOPE_SHARED_DIR), which need not exist.
std::string SharedPath(std::string_view relative);

// Absolute path of the program of this build.
std::string ProgramPath();

}  // namespace stepscope::test
