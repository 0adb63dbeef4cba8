#include "viewer/gl/row_texture.h"

#include <epoxy/gl.h>
#include <imgui.h>

#include <algorithm>

#include "shaders/embedded.h"

namespace stepscope {
namespace {

uint32_t Compile(GLenum type, std::string_view source, std::string* error) {
  const uint32_t shader = glCreateShader(type);
  const char* text = source.data();
  const auto length = static_cast<GLint>(source.size());
  glShaderSource(shader, 1, &text, &length);
  glCompileShader(shader);
  GLint ok = 0;
  glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
  if (ok != 0) return shader;
  std::array<char, 1024> log{};
  glGetShaderInfoLog(shader, static_cast<GLsizei>(log.size()), nullptr, log.data());
  *error = log.data();
  glDeleteShader(shader);
  return 0;
}

uint32_t Link(std::string* error) {
  const uint32_t vertex = Compile(GL_VERTEX_SHADER, shaders::kTimelineVert, error);
  const uint32_t fragment = Compile(GL_FRAGMENT_SHADER, shaders::kTimelineFrag, error);
  if (vertex == 0 || fragment == 0) return 0;
  const uint32_t program = glCreateProgram();
  glAttachShader(program, vertex);
  glAttachShader(program, fragment);
  glLinkProgram(program);
  glDeleteShader(vertex);
  glDeleteShader(fragment);
  GLint ok = 0;
  glGetProgramiv(program, GL_LINK_STATUS, &ok);
  if (ok != 0) return program;
  *error = "the timeline's shaders do not link";
  glDeleteProgram(program);
  return 0;
}

uint32_t NewTexture() {
  uint32_t texture = 0;
  glGenTextures(1, &texture);
  glBindTexture(GL_TEXTURE_2D, texture);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  return texture;
}

}  // namespace

struct RowTexture::DrawCall {
  RowTexture* self;
  uint32_t slot;
  float x, y, width, height;
  Rgba background;
  float dim;
};

std::unique_ptr<RowTexture> RowTexture::Create(std::string* error) {
  const uint32_t program = Link(error);
  if (program == 0) return nullptr;
  std::unique_ptr<RowTexture> out(new RowTexture());
  out->program_ = program;
  const auto uniform = [program](const char* name) { return glGetUniformLocation(program, name); };
  out->uniforms_ = {uniform("u_box"),   uniform("u_framebuffer"), uniform("u_rows"),
                    uniform("u_lines"), uniform("u_background"),  uniform("u_dim"),
                    uniform("u_scale")};
  glGenVertexArrays(1, &out->vertex_array_);
  return out;
}

RowTexture::~RowTexture() {
  for (const Slot& slot : slots_) {
    const std::array<GLuint, 2> textures = {slot.rows_texture, slot.lines_texture};
    glDeleteTextures(2, textures.data());  // zeros are ignored
  }
  glDeleteVertexArrays(1, &vertex_array_);
  glDeleteProgram(program_);
}

void RowTexture::Upload(Slot& slot, const TexelFrame& frame) {
  GLint bound = 0;  // the backend's atlas may be bound: put it back
  glGetIntegerv(GL_TEXTURE_BINDING_2D, &bound);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
  const auto width = static_cast<GLsizei>(frame.width);
  if (slot.rows_texture == 0) slot.rows_texture = NewTexture();
  glBindTexture(GL_TEXTURE_2D, slot.rows_texture);
  if (slot.width != frame.width || slot.rows < frame.rows) {
    slot.width = frame.width;
    slot.rows = frame.rows + 8;  // scrolling adds a row now and then
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, static_cast<GLsizei>(slot.rows), 0, GL_RGBA,
                 GL_UNSIGNED_BYTE, nullptr);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, width, static_cast<GLsizei>(frame.rows), GL_RGBA,
                    GL_UNSIGNED_BYTE, frame.texels.data());
  } else if (frame.dirty_begin < frame.dirty_end) {
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, static_cast<GLint>(frame.dirty_begin), width,
                    static_cast<GLsizei>(frame.dirty_end - frame.dirty_begin), GL_RGBA,
                    GL_UNSIGNED_BYTE,
                    frame.texels.data() + size_t{frame.dirty_begin} * frame.width);
  }
  if (slot.lines_texture == 0) slot.lines_texture = NewTexture();
  glBindTexture(GL_TEXTURE_2D, slot.lines_texture);
  const auto lines = static_cast<GLsizei>(frame.lines.size());
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA16UI, lines, 1, 0, GL_RGBA_INTEGER, GL_UNSIGNED_SHORT,
               frame.lines.data());
  slot.lines = static_cast<uint32_t>(frame.lines.size());
  glBindTexture(GL_TEXTURE_2D, static_cast<GLuint>(bound));
}

void RowTexture::Draw(const TexelFrame& frame, ImDrawList* list) {
  GLint largest = 0;
  glGetIntegerv(GL_MAX_TEXTURE_SIZE, &largest);
  const auto limit = static_cast<size_t>(largest);
  const bool fits = frame.width <= limit && frame.rows <= limit && frame.lines.size() <= limit;
  if (frame.width == 0 || frame.rows == 0 || frame.lines.empty() || frame.slot >= kSlots || !fits)
    return;
  Upload(slots_[frame.slot], frame);
  DrawCall call{this,
                frame.slot,
                frame.x,
                frame.y,
                static_cast<float>(frame.width),
                static_cast<float>(frame.lines.size()),
                frame.background,
                frame.dim};
  list->AddCallback(&RowTexture::Callback, &call, sizeof call);
  list->AddCallback(ImGui::GetPlatformIO().DrawCallback_ResetRenderState, nullptr);
}

void RowTexture::Callback(const ImDrawList*, const ImDrawCmd* command) {
  const auto* call = static_cast<const DrawCall*>(command->UserCallbackData);
  const ImVec4 r = command->ClipRect;
  const std::array<float, 4> clip = {r.x, r.y, r.z, r.w};
  call->self->Render(*call, clip.data());
}

void RowTexture::Render(const DrawCall& call, const float clip[4]) {
  const ImDrawData* data = ImGui::GetDrawData();
  const ImVec2 scale = data->FramebufferScale;
  const ImVec2 origin = data->DisplayPos;
  const float width = data->DisplaySize.x * scale.x;
  const float height = data->DisplaySize.y * scale.y;
  const float left = (clip[0] - origin.x) * scale.x, top = (clip[1] - origin.y) * scale.y;
  const float right = (clip[2] - origin.x) * scale.x, bottom = (clip[3] - origin.y) * scale.y;
  if (right <= left || bottom <= top) return;
  const Slot& slot = slots_[call.slot];
  glUseProgram(program_);
  glUniform4f(uniforms_.box, (call.x - origin.x) * scale.x, (call.y - origin.y) * scale.y,
              call.width * scale.x, call.height * scale.y);
  glUniform2f(uniforms_.framebuffer, width, height);
  glUniform2f(uniforms_.scale, scale.x, scale.y);
  glUniform1i(uniforms_.rows, 0);
  glUniform1i(uniforms_.lines, 1);
  glUniform1f(uniforms_.dim, call.dim);
  const auto channel = [&](int shift) {
    return static_cast<float>((call.background >> shift) & 255u) / 255.0f;
  };
  glUniform3f(uniforms_.background, channel(0), channel(8), channel(16));
  glBindSampler(0, 0);  // the backend binds sampler objects, which would filter
  glBindSampler(1, 0);
  glActiveTexture(GL_TEXTURE1);
  glBindTexture(GL_TEXTURE_2D, slot.lines_texture);
  glActiveTexture(GL_TEXTURE0);
  glBindTexture(GL_TEXTURE_2D, slot.rows_texture);
  glEnable(GL_SCISSOR_TEST);
  glScissor(static_cast<GLint>(left), static_cast<GLint>(height - bottom),
            static_cast<GLsizei>(right - left), static_cast<GLsizei>(bottom - top));
  glEnable(GL_BLEND);
  glBlendEquation(GL_FUNC_ADD);
  glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
  glDisable(GL_CULL_FACE);
  glDisable(GL_DEPTH_TEST);
  glDisable(GL_STENCIL_TEST);
  glBindVertexArray(vertex_array_);
  glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
  glBindVertexArray(0);
}

}  // namespace stepscope
