// Which Stepscope this is: for --version and crash reports.
#pragma once

#include <string>

namespace stepscope {

// Five lines without the last line's end: version; commit, compiler, kind of build; then the
// libraries that it was built with, with their versions.
std::string VersionText();

}  // namespace stepscope
