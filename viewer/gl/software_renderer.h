// Tells whether the processor draws, as on a machine without a graphics processor. It pays for
// every pixel, so that what makes a pixel cheaper is worth more calls of OpenGL (solid_fills.h,
// row_pieces.h). A graphics processor has pixels to spare, and pays for the calls.
#pragma once

#include <string_view>

namespace stepscope {

// By the name that OpenGL gives its renderer.
bool IsSoftwareRenderer(std::string_view name);

// The same of the current context. UI thread only.
bool DrawsInSoftware();

}  // namespace stepscope
