// DrawsInSoftware tells whether the processor draws, as on a machine without a graphics processor.
// It pays for every pixel, so that cheaper pixels are worth more calls of OpenGL (solid_fills.h,
// row_pieces.h). A graphics processor has pixels to spare, and its driver pays for the calls.
#pragma once

#include <string_view>

namespace stepscope {

// Whether the renderer to which OpenGL gives this name runs on the processor.
bool IsSoftwareRenderer(std::string_view name);

// The name of the current context's renderer; empty without one. UI thread only.
std::string_view RendererName();

// Whether the current context's renderer runs on the processor. UI thread only.
bool DrawsInSoftware();

}  // namespace stepscope
