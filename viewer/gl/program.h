// Programs of OpenGL from the sources of their shaders. UI thread only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace stepscope {

// Returns 0 if a shader does not compile or the two do not link; *error says why. The caller
// deletes the program.
uint32_t LinkProgram(std::string_view vertex_source, std::string_view fragment_source,
                     std::string* error);

}  // namespace stepscope
