// Tells which Stepscope this is, for --version and crash reports.
#pragma once

#include <string>

namespace stepscope {

// Five lines, the last one without a line end: the version; commit, compiler and kind of build;
// the versions of the libraries that the program was built with.
std::string VersionText();

// The linker's build id of this program in hex; empty if it has none. The file with its debug
// information has the same id.
std::string BuildId();

}  // namespace stepscope
