#include "viewer/gl/row_texture.h"

#include <epoxy/gl.h>
#include <imgui.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "shaders/embedded.h"

namespace stepscope {
namespace {

// The opacities of curves, as in shaders/timeline_area.frag and timeline_stack.frag.
constexpr float kAreaLine = 0.9f, kAreaWash = 0.3f, kStackLine = 0.9f, kStackWash = 0.55f;

std::array<float, 4> ColorOf(Rgba color, float opacity) {
  const auto channel = [color](int shift) {
    return static_cast<float>(color >> shift & 255u) / 255.0f;
  };
  return {channel(0), channel(8), channel(16), opacity};
}

// Lines below the curve of a height; a line that is covered in part counts.
uint32_t LinesOf(uint32_t height, uint16_t lines) { return (height * lines + 254) / 255; }

// Columns with equal looks are drawn alike. 0: nothing is drawn.
uint32_t LookOf(uint32_t t, const RowPart& part) {
  switch (part.kind) {
    case TexelLine::kSlices: {
      const bool drawn =
          (texel::Alpha(t) & texel::kOpaque) != 0 && (texel::Alpha(t) & texel::kEdge) == 0;
      return drawn ? t : 0;
    }
    case TexelLine::kArea: {
      const uint32_t top = LinesOf(texel::Alpha(t), part.height);
      return top == 0 ? 0 : (t & 0xffffffu) | std::min(top, 255u) << 24;
    }
    case TexelLine::kStack: {
      uint32_t look = 0;
      for (size_t i = 0; i < texel::kStackCurves; ++i) {
        const uint32_t top = LinesOf(texel::HeightIn(t, i), part.height);
        look = texel::WithHeight(look, i, std::min(top, 255u));
      }
      return look;
    }
    case TexelLine::kNone:
      break;
  }
  return 0;
}

class BoxWriter {
 public:
  BoxWriter(const RowPart& part, const TexelFrame& frame, RowPieces* out)
      : part_(part), frame_(frame), out_(out) {}
  void Add(ColumnRange at, uint32_t look) {
    at_ = at;
    if (part_.kind == TexelLine::kSlices) {
      Slices(look);
    } else if (part_.kind == TexelLine::kArea) {
      const uint32_t top = look >> 24;
      Lines(top - 1, top, ColorOf(look, kAreaLine));
      Lines(0, top - 1, ColorOf(look, kAreaWash));
    } else {
      Stack(look);
    }
  }

 private:
  void Slices(uint32_t look) {
    Rgba color = (look & 0xffffffu) | 0xff000000u;
    if ((texel::Alpha(look) & texel::kDim) != 0) color = Mix(color, frame_.background, frame_.dim);
    const float coverage = static_cast<float>(texel::Alpha(look) & texel::kOpaque);
    Box(part_.first, part_.first + uint32_t{part_.lines},
        ColorOf(color, coverage / static_cast<float>(texel::kOpaque)));
  }
  void Stack(uint32_t look) {
    const uint32_t top = texel::HeightIn(look, texel::kStackCurves - 1);
    uint32_t below = 0;
    for (size_t i = 0; i < texel::kStackCurves; ++i) {
      const uint32_t end = texel::HeightIn(look, i);
      const bool has_line = end == top && below < top;
      Lines(below, has_line ? top - 1 : end, ColorOf(frame_.stack[i], kStackWash));
      if (has_line) Lines(top - 1, top, ColorOf(frame_.stack[i], kStackLine));
      below = std::max(below, end);
    }
  }
  // Lines [from, to), counted from the lowest one.
  void Lines(uint32_t from, uint32_t to, const std::array<float, 4>& color) {
    const uint32_t height = part_.height;
    if (from < to) Box(height - std::min(height, to), height - std::min(height, from), color);
  }
  void Box(uint32_t top, uint32_t bottom, const std::array<float, 4>& color) {
    top = std::max<uint32_t>(top, part_.first);
    bottom = std::min<uint32_t>(bottom, part_.first + uint32_t{part_.lines});
    if (top >= bottom) return;
    out_->boxes.push_back(
        {at_.begin, at_.end, static_cast<uint16_t>(top), static_cast<uint16_t>(bottom), color});
  }
  const RowPart& part_;
  const TexelFrame& frame_;
  RowPieces* out_;
  ColumnRange at_;
};

}  // namespace

void AddPieces(std::span<const uint32_t> row, const RowPart& part, const TexelFrame& frame,
               RowPieces* out) {
  BoxWriter boxes(part, frame, out);
  const bool slices = part.kind == TexelLine::kSlices;
  // A look has eight bits for the top of a curve.
  const bool no_boxes = slices ? frame.patterns : part.height > 255;
  // Columns with a short run of each look wait to be looked up together.
  size_t waiting = 0, waiting_end = 0;
  const auto flush = [&] {
    if (waiting < waiting_end)
      out->columns.push_back({static_cast<uint16_t>(waiting), static_cast<uint16_t>(waiting_end)});
    waiting = waiting_end;
  };
  uint32_t texel = 0, next = row.empty() ? 0 : LookOf(row[0], part);
  for (size_t x = 0; x < row.size();) {
    const size_t begin = x;
    const uint32_t look = next;
    for (texel = row[x]; x < row.size(); ++x) {
      if (row[x] == texel) continue;
      texel = row[x];
      next = LookOf(texel, part);
      if (next != look) break;
    }
    const bool apart = x - begin >= kLeastColumns && (look == 0 || !no_boxes);
    if (!apart && look == 0) continue;
    if (!apart) {
      if (waiting == waiting_end) waiting = begin;
      waiting_end = x;
      continue;
    }
    flush();
    if (look != 0) boxes.Add({static_cast<uint16_t>(begin), static_cast<uint16_t>(x)}, look);
    waiting = waiting_end = x;
  }
  flush();
}

namespace {

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

// Gives the buffer these contents, and leaves it bound.
void Fill(uint32_t* buffer, const void* data, size_t bytes) {
  if (*buffer == 0) glGenBuffers(1, buffer);
  glBindBuffer(GL_ARRAY_BUFFER, *buffer);
  glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(bytes), data, GL_STREAM_DRAW);
}

void ShortsPerInstance(GLuint index, GLint count, size_t stride, size_t offset) {
  glEnableVertexAttribArray(index);
  glVertexAttribIPointer(index, count, GL_UNSIGNED_SHORT, static_cast<GLsizei>(stride),
                         reinterpret_cast<const void*>(offset));
  glVertexAttribDivisor(index, 1);
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
  float x, y;
  Rgba background;
  float dim;
  bool patterns;
  std::array<Rgba, texel::kStackCurves> stack;
};

GlProgram RowTexture::Begin(Kind kind) {
  switch (kind) {
    case kArea:
      return {shaders::kTimelineVert, shaders::kTimelineAreaFrag};
    case kStack:
      return {shaders::kTimelineVert, shaders::kTimelineStackFrag};
    case kHatched:
      return {shaders::kTimelineVert, shaders::kTimelineHatchedFrag};
    case kBoxes:
      return {shaders::kTimelineBoxVert, shaders::kSolidFrag};
    case kSlices:
    case kKinds:
      break;
  }
  return {shaders::kTimelineVert, shaders::kTimelineSlicesFrag};
}

// The first picture has slices and curves, and boxes if rows are drawn in pieces. It comes sooner
// if it waits for no other program.
RowTexture::RowTexture(bool in_pieces) : in_pieces_(in_pieces) {
  for (const Kind kind : {kSlices, kArea}) programs_[kind].gl = Begin(kind);
  if (in_pieces) programs_[kBoxes].gl = Begin(kBoxes);
}

RowTexture::~RowTexture() {
  for (const Slot& slot : slots_) {
    glDeleteTextures(1, &slot.texture);  // GL ignores zeros
    glDeleteBuffers(1, &slot.buffer);
    glDeleteBuffers(1, &slot.box_buffer);
  }
}

const std::string& RowTexture::ErrorOf(Kind kind) {
  Program& program = programs_[kind];
  if (std::exchange(program.asked, true)) return program.error;
  if (program.gl.id() == 0) program.gl = Begin(kind);
  program.error = program.gl.WhyUnusable();
  if (!program.error.empty()) return program.error;
  const auto uniform = [id = program.gl.id()](const char* name) {
    return glGetUniformLocation(id, name);
  };
  program.origin = uniform("u_origin");
  program.framebuffer = uniform("u_framebuffer");
  program.rows = uniform("u_rows");
  program.background = uniform("u_background");
  program.dim = uniform("u_dim");
  program.scale = uniform("u_scale");
  program.stack = uniform("u_stack");
  return program.error;
}

std::string RowTexture::WhyUnusable() {
  for (const Kind kind : {kSlices, kArea, kStack, kHatched, kBoxes}) {
    if (const std::string& error = ErrorOf(kind); !error.empty()) return error;
  }
  return {};
}

// Returns whether the programs can be used that the slot's strips and boxes need.
bool RowTexture::HasPrograms(const Slot& slot, bool patterns) {
  for (const Kind kind : {kSlices, kArea, kStack}) {
    if (slot.strips[kind].empty()) continue;
    if (!ErrorOf(kind == kSlices && patterns ? kHatched : kind).empty()) return false;
  }
  return slot.boxes.empty() || ErrorOf(kBoxes).empty();
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

RowTexture::Kind RowTexture::KindOfLine(const TexelLine& line) {
  if (line.kind == TexelLine::kStack) return kStack;
  return line.kind == TexelLine::kArea ? kArea : kSlices;
}

// Where the strips of a kind begin in the buffer, in bytes.
size_t RowTexture::OffsetOf(const Slot& slot, Kind kind) {
  size_t strips = 0;
  for (int before = kSlices; before < kind; ++before) strips += slot.strips[before].size();
  return strips * sizeof(Strip);
}

// Adds what the canvas lines [first, end) show, which go on in one row.
void RowTexture::AddPiecesOf(const TexelFrame& frame, size_t first, size_t end, Slot* slot) {
  const TexelLine& line = frame.lines[first];
  if (line.row >= frame.rows) return;
  const RowPart part{static_cast<TexelLine::Kind>(line.kind), line.y,
                     static_cast<uint16_t>(end - first), line.height};
  pieces_.Clear();
  if (in_pieces_) {
    AddPieces(frame.texels.subspan(size_t{line.row} * frame.width, frame.width), part, frame,
              &pieces_);
  } else {
    pieces_.columns.push_back({0, static_cast<uint16_t>(frame.width)});
  }
  for (const ColumnRange& range : pieces_.columns) {
    slot->strips[KindOfLine(line)].push_back({static_cast<uint16_t>(first), part.lines, line.y,
                                              line.height, line.row, range.begin, range.end});
  }
  for (const RowBox& box : pieces_.boxes) {
    slot->boxes.push_back({box.begin, box.end, static_cast<uint16_t>(first + box.top - line.y),
                           static_cast<uint16_t>(box.bottom - box.top), box.color});
  }
}

void RowTexture::UploadStrips(Slot& slot, const TexelFrame& frame) {
  for (std::vector<Strip>& strips : slot.strips) strips.clear();
  slot.boxes.clear();
  for (size_t i = 0, end = 0; i < frame.lines.size(); i = std::max(end, i + 1)) {
    const TexelLine& line = frame.lines[i];
    const auto goes_on = [&](const TexelLine& next) {
      // The last line of a row of slices is the gap to the next row.
      const bool gap = next.kind == TexelLine::kSlices && next.y + 1 >= next.height;
      return next.kind != TexelLine::kNone && next.row == line.row && next.kind == line.kind &&
             !gap;
    };
    end = i;
    while (end < frame.lines.size() && goes_on(frame.lines[end])) ++end;
    if (end > i) AddPiecesOf(frame, i, end, &slot);
  }
  all_strips_.clear();
  for (const std::vector<Strip>& strips : slot.strips)
    all_strips_.insert(all_strips_.end(), strips.begin(), strips.end());
  Fill(&slot.buffer, all_strips_.data(), all_strips_.size() * sizeof(Strip));
  if (!slot.boxes.empty()) UploadBoxes(slot);
  glBindBuffer(GL_ARRAY_BUFFER, 0);
}

void RowTexture::UploadBoxes(Slot& slot) {
  const auto end = std::stable_partition(slot.boxes.begin(), slot.boxes.end(),
                                         [](const Box& box) { return box.color[3] >= 1; });
  slot.opaque_boxes = static_cast<size_t>(end - slot.boxes.begin());
  Fill(&slot.box_buffer, slot.boxes.data(), slot.boxes.size() * sizeof(Box));
}

void RowTexture::Draw(const TexelFrame& frame, ImDrawList* list) {
  CheckTexels(frame);
  GLint largest = 0;
  glGetIntegerv(GL_MAX_TEXTURE_SIZE, &largest);
  const auto limit = static_cast<size_t>(largest);
  const bool fits = frame.width <= limit && frame.rows <= limit && frame.lines.size() <= limit;
  if (frame.width == 0 || frame.rows == 0 || frame.lines.empty() || frame.slot >= kSlots || !fits)
    return;
  Slot& slot = slots_[frame.slot];
  UploadTexels(slot, frame);
  UploadStrips(slot, frame);
  if (!HasPrograms(slot, frame.patterns)) return rectangles_.Draw(frame, list);
  const ImGuiViewport* viewport = ImGui::GetWindowViewport();
  const ImVec2 scale = viewport->FramebufferScale.x > 0 ? viewport->FramebufferScale
                                                        : ImGui::GetIO().DisplayFramebufferScale;
  DrawCall call{
      this,
      {viewport->Pos.x, viewport->Pos.y, viewport->Size.x, viewport->Size.y, scale.x, scale.y},
      frame.slot,
      frame.x,
      frame.y,
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
  DrawStrips(call, call.patterns ? kHatched : kSlices);
  DrawStrips(call, kArea);
  DrawStrips(call, kStack);
  DrawBoxes(call);
  glBindBuffer(GL_ARRAY_BUFFER, 0);
  glBindVertexArray(0);
  glDeleteVertexArrays(1, &vertex_array);
}

void RowTexture::SetUniforms(const DrawCall& call, const Program& program) {
  const Target& t = call.target;
  glUseProgram(program.gl.id());
  glUniform2f(program.origin, (call.x - t.x) * t.scale_x, (call.y - t.y) * t.scale_y);
  glUniform2f(program.framebuffer, t.width * t.scale_x, t.height * t.scale_y);
  glUniform2f(program.scale, t.scale_x, t.scale_y);
}

void RowTexture::DrawStrips(const DrawCall& call, Kind kind) {
  const Slot& slot = slots_[call.slot];
  const std::vector<Strip>& strips = slot.strips[kind == kHatched ? kSlices : kind];
  if (strips.empty()) return;
  const Program& program = programs_[kind];
  SetUniforms(call, program);
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
  glBindBuffer(GL_ARRAY_BUFFER, slot.buffer);
  const size_t base = kind == kHatched ? 0 : OffsetOf(slot, kind);
  ShortsPerInstance(0, 4, sizeof(Strip), base + offsetof(Strip, canvas_y));
  ShortsPerInstance(1, 3, sizeof(Strip), base + offsetof(Strip, row));
  glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, static_cast<GLsizei>(strips.size()));
}

// No two boxes overlap, so their order does not matter.
void RowTexture::DrawBoxes(const DrawCall& call) {
  const Slot& slot = slots_[call.slot];
  if (slot.boxes.empty()) return;
  SetUniforms(call, programs_[kBoxes]);
  glBindBuffer(GL_ARRAY_BUFFER, slot.box_buffer);
  const auto draw = [](size_t first, size_t end) {
    if (first == end) return;
    const size_t base = first * sizeof(Box);
    ShortsPerInstance(0, 4, sizeof(Box), base + offsetof(Box, begin));
    glEnableVertexAttribArray(1);
    glVertexAttribPointer(1, 4, GL_FLOAT, GL_FALSE, sizeof(Box),
                          reinterpret_cast<const void*>(base + offsetof(Box, color)));
    glVertexAttribDivisor(1, 1);
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, static_cast<GLsizei>(end - first));
  };
  glDisable(GL_BLEND);
  draw(0, slot.opaque_boxes);
  glEnable(GL_BLEND);
  draw(slot.opaque_boxes, slot.boxes.size());
}

}  // namespace stepscope
