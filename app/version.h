// Which Stepscope this is: for --version and crash reports.
#pragma once

#include <string>

namespace stepscope {

// Five lines without the last line's end: version; commit, compiler, kind of build; then the
// libraries that it was built with, with their versions.
std::string VersionText();

// What the linker calls this very program, in hex; empty if it gave it no name. The file with its
// debug information has the same.
std::string BuildId();

}  // namespace stepscope
