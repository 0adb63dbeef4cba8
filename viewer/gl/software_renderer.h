// DrawsInSoftware tells whether the processor draws, as on a machine without a graphics processor.
// It pays for every pixel, so that cheaper pixels are worth more calls of OpenGL (solid_fills.h,
// row_pieces.h). A graphics processor has pixels to spare, and its driver pays for the calls.
#pragma once

#include <string_view>

namespace stepscope {

// Whether the renderer to which OpenGL gives this name runs on the processor.
bool IsSoftwareRenderer(std::string_view name);

// Whether that of the current context does. UI thread only.
bool DrawsInSoftware();

}  // namespace stepscope
