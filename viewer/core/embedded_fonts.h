// Faces that were built into the program (STEPSCOPE_EMBED_FONTS). A package of a distribution has
// none: it depends on those of the system.
#pragma once

#include <string_view>

namespace stepscope {

// The bytes of a font file by its name, such as "Inter-Regular.otf"; they live as long as the
// program. Empty when it has none of that name.
std::string_view EmbeddedFont(std::string_view file_name);

}  // namespace stepscope
