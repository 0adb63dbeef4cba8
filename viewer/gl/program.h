// Programs of OpenGL from the sources of their shaders. UI thread only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace stepscope {

// Owns a program of OpenGL. Making it begins in the constructor. Drivers go on with it in threads
// of their own until somebody asks for the result. Its context must be current whenever it is used
// and when it goes.
class GlProgram {
 public:
  GlProgram() = default;  // none: id() is 0
  GlProgram(std::string_view vertex_source, std::string_view fragment_source);
  GlProgram(GlProgram&& other) noexcept : id_(std::exchange(other.id_, 0)) {}
  GlProgram& operator=(GlProgram&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }
  ~GlProgram();

  uint32_t id() const { return id_; }
  // Waits until the program is made. Says why it cannot be used: a shader does not compile, or the
  // two do not link. Empty: it can.
  std::string WhyUnusable() const;

 private:
  uint32_t id_ = 0;
};

}  // namespace stepscope
