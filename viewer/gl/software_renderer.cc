#include "viewer/gl/software_renderer.h"

#include <epoxy/gl.h>

#include <algorithm>
#include <array>

namespace stepscope {

bool IsSoftwareRenderer(std::string_view name) {
  // Mesa has the first four. The last two are Windows' own; Mesa may stand in front of them and
  // then adds to their names.
  constexpr std::array<std::string_view, 7> kNames = {
      "llvmpipe",    "softpipe",    "swrast",      "Software Rasterizer",
      "SwiftShader", "GDI Generic", "Basic Render"};
  return std::any_of(kNames.begin(), kNames.end(), [&](std::string_view part) {
    return name.find(part) != std::string_view::npos;
  });
}

std::string_view RendererName() {
  const auto* name = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
  return name == nullptr ? std::string_view() : name;
}

bool DrawsInSoftware() { return IsSoftwareRenderer(RendererName()); }

}  // namespace stepscope
