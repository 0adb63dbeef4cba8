// RowTexture: the TexelSink of windows with OpenGL 3.3: each slot is a texture of rows and one of
// lines, drawn as one quad with shaders/timeline.*. Needs a current context for its whole life. UI
// thread only.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "viewer/timeline/texel_sink.h"

struct ImDrawCmd;

namespace stepscope {

class RowTexture final : public TexelSink {
 public:
  // Null when shaders do not compile; *error says why.
  static std::unique_ptr<RowTexture> Create(std::string* error);
  ~RowTexture() override;
  RowTexture(const RowTexture&) = delete;
  RowTexture& operator=(const RowTexture&) = delete;

  void Draw(const TexelFrame& frame, ImDrawList* list) override;

 private:
  struct Slot {
    uint32_t rows_texture = 0, lines_texture = 0;
    uint32_t width = 0, rows = 0, lines = 0;  // sizes of the textures
  };
  struct Uniforms {
    int box = -1, framebuffer = -1, rows = -1, lines = -1, background = -1, dim = -1, scale = -1;
  };
  struct DrawCall;  // copied into the draw list
  RowTexture() = default;
  void Upload(Slot& slot, const TexelFrame& frame);
  void Render(const DrawCall& call, const float clip[4]);
  static void Callback(const ImDrawList* list, const ImDrawCmd* command);

  std::array<Slot, kSlots> slots_;
  Uniforms uniforms_;
  uint32_t program_ = 0, vertex_array_ = 0;
};

}  // namespace stepscope
