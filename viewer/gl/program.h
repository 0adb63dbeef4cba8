// Programs of OpenGL from the sources of their shaders, and which renderer draws. UI thread only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace stepscope {

// GlProgram owns a program of OpenGL. The constructor begins to compile it, and a driver may go on
// in threads of its own. The context must be current whenever a GlProgram that has a program is
// used or destroyed.
class GlProgram {
 public:
  GlProgram() = default;  // has no program: id() is 0
  GlProgram(std::string_view vertex_source, std::string_view fragment_source);
  GlProgram(GlProgram&& other) noexcept : id_(std::exchange(other.id_, 0)) {}
  GlProgram& operator=(GlProgram&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }
  ~GlProgram();

  uint32_t id() const { return id_; }
  // Waits until the program is compiled and linked. Returns why it cannot be used: there is none, a
  // shader does not compile, or the two do not link. Empty: it can.
  std::string WhyUnusable() const;

 private:
  uint32_t id_ = 0;
};

// Whether the renderer to which OpenGL gives this name runs on the processor.
bool IsSoftwareRenderer(std::string_view name);

// The name of the current context's renderer; empty without one. UI thread only.
std::string_view RendererName();

// Whether the current context's renderer runs on the processor, as on a machine without a graphics
// processor. It pays for every pixel, so that cheaper pixels are worth more calls of OpenGL
// (solid_fills.h, row_texture.h). A graphics processor has pixels to spare, and its driver pays for
// the calls. UI thread only.
bool DrawsInSoftware();

}  // namespace stepscope
