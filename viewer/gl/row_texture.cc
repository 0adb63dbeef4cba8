#include "viewer/gl/row_texture.h"

#include <epoxy/gl.h>
#include <imgui.h>

#include <algorithm>
#include <cstddef>

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

uint32_t Link(std::string_view fragment_source, std::string* error) {
  const uint32_t vertex = Compile(GL_VERTEX_SHADER, shaders::kTimelineVert, error);
  const uint32_t fragment = Compile(GL_FRAGMENT_SHADER, fragment_source, error);
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

// The window of the system that a frame is drawn in: a floating panel may have its own.
struct RowTexture::Target {
  float x, y, width, height;  // ImGui coordinates
  float scale_x, scale_y;     // framebuffer pixels for each of these
};

struct RowTexture::DrawCall {
  RowTexture* self;
  Target target;
  uint32_t slot;
  float x, y, width, height;
  Rgba background;
  float dim;
  bool patterns;
  std::array<Rgba, texel::kStackCurves> stack;
};

std::unique_ptr<RowTexture> RowTexture::Create(std::string* error) {
  std::unique_ptr<RowTexture> out(new RowTexture());
  const std::array<std::string_view, kKinds> sources = {
      shaders::kTimelineSlicesFrag, shaders::kTimelineAreaFrag, shaders::kTimelineStackFrag,
      shaders::kTimelineHatchedFrag};
  for (size_t kind = 0; kind < kKinds; ++kind) {
    const uint32_t id = Link(sources[kind], error);
    if (id == 0) return nullptr;
    const auto uniform = [id](const char* name) { return glGetUniformLocation(id, name); };
    out->programs_[kind] = {id,
                            uniform("u_box"),
                            uniform("u_framebuffer"),
                            uniform("u_rows"),
                            uniform("u_background"),
                            uniform("u_dim"),
                            uniform("u_scale"),
                            uniform("u_stack")};
  }
  return out;
}

RowTexture::~RowTexture() {
  for (const Slot& slot : slots_) {
    glDeleteTextures(1, &slot.texture);  // GL ignores zeros
    glDeleteBuffers(1, &slot.buffer);
  }
  for (const Program& program : programs_) glDeleteProgram(program.id);
}

void RowTexture::UploadTexels(Slot& slot, const TexelFrame& frame) {
  GLint bound = 0;  // the backend may have bound its atlas; it is bound again below
  glGetIntegerv(GL_TEXTURE_BINDING_2D, &bound);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
  const auto width = static_cast<GLsizei>(frame.width);
  if (slot.texture == 0) slot.texture = NewTexture();
  glBindTexture(GL_TEXTURE_2D, slot.texture);
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
  glBindTexture(GL_TEXTURE_2D, static_cast<GLuint>(bound));
}

RowTexture::Kind RowTexture::KindOf(const TexelLine& line) {
  if (line.kind == TexelLine::kStack) return kStack;
  return line.kind == TexelLine::kArea ? kArea : kSlices;
}

// Where the strips of a kind begin in the buffer, in bytes.
size_t RowTexture::OffsetOf(const Slot& slot, Kind kind) {
  size_t strips = 0;
  for (int before = kSlices; before < kind; ++before) strips += slot.strips[before].size();
  return strips * sizeof(Strip);
}

void RowTexture::UploadStrips(Slot& slot, const TexelFrame& frame) {
  for (std::vector<Strip>& strips : slot.strips) strips.clear();
  for (size_t i = 0; i < frame.lines.size(); ++i) {
    const TexelLine& line = frame.lines[i];
    // The last line of a row of slices is the gap to the next row.
    const bool gap = line.kind == TexelLine::kSlices && line.y + 1 >= line.height;
    if (line.kind == TexelLine::kNone || gap) continue;
    std::vector<Strip>& strips = slot.strips[KindOf(line)];
    const bool goes_on = !strips.empty() && strips.back().row == line.row &&
                         strips.back().canvas_y + strips.back().lines == static_cast<int>(i);
    if (goes_on) {
      ++strips.back().lines;
    } else {
      strips.push_back({static_cast<uint16_t>(i), 1, line.y, line.height, line.row});
    }
  }
  if (slot.buffer == 0) glGenBuffers(1, &slot.buffer);
  glBindBuffer(GL_ARRAY_BUFFER, slot.buffer);
  glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(OffsetOf(slot, kHatched)), nullptr,
               GL_STREAM_DRAW);
  for (const Kind kind : {kSlices, kArea, kStack}) {
    const std::vector<Strip>& strips = slot.strips[kind];
    glBufferSubData(GL_ARRAY_BUFFER, static_cast<GLintptr>(OffsetOf(slot, kind)),
                    static_cast<GLsizeiptr>(strips.size() * sizeof(Strip)), strips.data());
  }
  glBindBuffer(GL_ARRAY_BUFFER, 0);
}

void RowTexture::Draw(const TexelFrame& frame, ImDrawList* list) {
  GLint largest = 0;
  glGetIntegerv(GL_MAX_TEXTURE_SIZE, &largest);
  const auto limit = static_cast<size_t>(largest);
  const bool fits = frame.width <= limit && frame.rows <= limit && frame.lines.size() <= limit;
  if (frame.width == 0 || frame.rows == 0 || frame.lines.empty() || frame.slot >= kSlots || !fits)
    return;
  UploadTexels(slots_[frame.slot], frame);
  UploadStrips(slots_[frame.slot], frame);
  const ImGuiViewport* viewport = ImGui::GetWindowViewport();
  const ImVec2 scale = viewport->FramebufferScale.x > 0 ? viewport->FramebufferScale
                                                        : ImGui::GetIO().DisplayFramebufferScale;
  DrawCall call{
      this,
      {viewport->Pos.x, viewport->Pos.y, viewport->Size.x, viewport->Size.y, scale.x, scale.y},
      frame.slot,
      frame.x,
      frame.y,
      static_cast<float>(frame.width),
      static_cast<float>(frame.lines.size()),
      frame.background,
      frame.dim,
      frame.patterns,
      frame.stack};
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
  const Target& t = call.target;
  const float height = t.height * t.scale_y;
  const float left = (clip[0] - t.x) * t.scale_x, top = (clip[1] - t.y) * t.scale_y;
  const float right = (clip[2] - t.x) * t.scale_x, bottom = (clip[3] - t.y) * t.scale_y;
  if (right <= left || bottom <= top) return;
  const Slot& slot = slots_[call.slot];
  glBindSampler(0, 0);  // the backend binds sampler objects, which would filter
  glActiveTexture(GL_TEXTURE0);
  glBindTexture(GL_TEXTURE_2D, slot.texture);
  glEnable(GL_SCISSOR_TEST);
  glScissor(static_cast<GLint>(left), static_cast<GLint>(height - bottom),
            static_cast<GLsizei>(right - left), static_cast<GLsizei>(bottom - top));
  glEnable(GL_BLEND);
  glBlendEquation(GL_FUNC_ADD);
  glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
  glDisable(GL_CULL_FACE);
  glDisable(GL_DEPTH_TEST);
  glDisable(GL_STENCIL_TEST);
  uint32_t vertex_array = 0;
  glGenVertexArrays(1, &vertex_array);
  glBindVertexArray(vertex_array);
  glBindBuffer(GL_ARRAY_BUFFER, slot.buffer);
  DrawStrips(call, call.patterns ? kHatched : kSlices);
  DrawStrips(call, kArea);
  DrawStrips(call, kStack);
  glBindBuffer(GL_ARRAY_BUFFER, 0);
  glBindVertexArray(0);
  glDeleteVertexArrays(1, &vertex_array);
}

void RowTexture::DrawStrips(const DrawCall& call, Kind kind) {
  const Slot& slot = slots_[call.slot];
  const std::vector<Strip>& strips = slot.strips[kind == kHatched ? kSlices : kind];
  if (strips.empty()) return;
  const Target& t = call.target;
  const Program& program = programs_[kind];
  glUseProgram(program.id);
  glUniform4f(program.box, (call.x - t.x) * t.scale_x, (call.y - t.y) * t.scale_y,
              call.width * t.scale_x, call.height * t.scale_y);
  glUniform2f(program.framebuffer, t.width * t.scale_x, t.height * t.scale_y);
  glUniform2f(program.scale, t.scale_x, t.scale_y);
  glUniform1i(program.rows, 0);
  glUniform1f(program.dim, call.dim);
  const auto channel = [&](int shift) {
    return static_cast<float>((call.background >> shift) & 255u) / 255.0f;
  };
  glUniform3f(program.background, channel(0), channel(8), channel(16));
  if (kind == kStack) {
    std::array<float, 3 * texel::kStackCurves> colors{};
    for (size_t i = 0; i < colors.size(); ++i)
      colors[i] = static_cast<float>(call.stack[i / 3] >> 8 * (i % 3) & 255u) / 255.0f;
    glUniform3fv(program.stack, static_cast<GLsizei>(texel::kStackCurves), colors.data());
  }
  const size_t base = kind == kHatched ? 0 : OffsetOf(slot, kind);
  const auto attribute = [base](GLuint index, GLint count, size_t offset) {
    glEnableVertexAttribArray(index);
    glVertexAttribIPointer(index, count, GL_UNSIGNED_SHORT, sizeof(Strip),
                           reinterpret_cast<const void*>(base + offset));
    glVertexAttribDivisor(index, 1);
  };
  attribute(0, 4, offsetof(Strip, canvas_y));
  attribute(1, 1, offsetof(Strip, row));
  glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, static_cast<GLsizei>(strips.size()));
}

}  // namespace stepscope
