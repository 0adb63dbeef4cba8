// The faces that were built into the program (STEPSCOPE_EMBED_FONTS). Packages of distributions
// have none and depend on the system's.
#pragma once

#include <string_view>

namespace stepscope {

// The bytes of the font file of a name, such as "Inter-Regular.otf". They live as long as the
// program. Empty: the program has no such file. Any thread.
std::string_view EmbeddedFont(std::string_view file_name);

}  // namespace stepscope
