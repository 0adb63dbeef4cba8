// Checks that the system's GL libraries can be had before libepoxy is called, which would end the
// program instead of reporting.
#pragma once

#include <string>

namespace stepscope {

// Empty if all is there, else what is missing and which package has it, in one line.
std::string MissingGlLibraries(bool egl);

}  // namespace stepscope
