// Checks that the system's GL libraries can be loaded. It has to be called before libepoxy, which
// ends the program where they are missing.
#pragma once

#include <string>

namespace stepscope {

// Returns one line that says which library is missing and which package has it, or an empty text.
// `egl` says whether EGL is needed too.
std::string MissingGlLibraries(bool egl);

}  // namespace stepscope
