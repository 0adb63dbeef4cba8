#include "viewer/gl/solid_fills.h"

#include <epoxy/gl.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "shaders/embedded.h"
#include "viewer/gl/program.h"

namespace stepscope {
namespace {

constexpr float kLeastPixels = 512;  // below, changing the program costs more than it saves
constexpr GLuint kPositionAt = 6, kColorAt = 7;  // as in shaders/solid.vert

enum class Needs : uint8_t { kTexture, kBlending, kNothing };  // beside its colour

using Corners = std::array<const ImDrawVert*, 3>;

Needs NeedsOf(const Corners& corners, const ImVec2& white) {
  uint32_t alpha = IM_COL32_A_MASK;
  for (const ImDrawVert* v : corners) {
    if (v->uv.x != white.x || v->uv.y != white.y) return Needs::kTexture;
    alpha &= v->col;
  }
  return alpha == IM_COL32_A_MASK ? Needs::kNothing : Needs::kBlending;
}

// Pixels of a triangle within the clip, for an even distribution over its bounding box.
float PixelsOf(const Corners& c, const ImVec4& clip) {
  const ImVec2 a = c[0]->pos, b = c[1]->pos, d = c[2]->pos;
  const float left = std::min({a.x, b.x, d.x}), right = std::max({a.x, b.x, d.x});
  const float top = std::min({a.y, b.y, d.y}), bottom = std::max({a.y, b.y, d.y});
  const float width = std::min(right, clip.z) - std::max(left, clip.x);
  const float height = std::min(bottom, clip.w) - std::max(top, clip.y);
  if (width <= 0 || height <= 0) return 0;
  const float area = std::fabs((b.x - a.x) * (d.y - a.y) - (d.x - a.x) * (b.y - a.y)) / 2;
  return area * (width / (right - left)) * (height / (bottom - top));
}

}  // namespace

struct SolidFills::Fill {
  SolidFills* self;
  bool opaque;
  ImVec4 window;  // left, top, right, bottom
};

std::vector<SolidRun> FindSolidRuns(const ImDrawList& list, const ImDrawCmd& command, ImVec2 white,
                                    float least) {
  std::vector<SolidRun> runs;
  if (command.UserCallback != nullptr) return runs;
  const ImDrawVert* vertices = list.VtxBuffer.Data + command.VtxOffset;
  const ImDrawIdx* indices = list.IdxBuffer.Data + command.IdxOffset;
  for (uint32_t i = 0; i + 2 < command.ElemCount;) {
    const auto corners = [&](uint32_t at) {
      return Corners{vertices + indices[at], vertices + indices[at + 1],
                     vertices + indices[at + 2]};
    };
    const Needs needs = NeedsOf(corners(i), white);
    const uint32_t begin = i;
    float pixels = 0;
    for (; i + 2 < command.ElemCount; i += 3) {
      const Corners triangle = corners(i);
      if (NeedsOf(triangle, white) != needs) break;
      if (needs != Needs::kTexture) pixels += PixelsOf(triangle, command.ClipRect);
    }
    if (pixels >= least) runs.push_back({begin, i, needs == Needs::kNothing});
  }
  return runs;
}

std::unique_ptr<SolidFills> SolidFills::Create(std::string* error) {
  std::unique_ptr<SolidFills> out(new SolidFills());
  out->program_ = LinkProgram(shaders::kSolidVert, shaders::kSolidFrag, error);
  if (out->program_ == 0) return nullptr;
  out->projection_ = glGetUniformLocation(out->program_, "u_projection");
  return out;
}

SolidFills::~SolidFills() { glDeleteProgram(program_); }

void SolidFills::Split(ImDrawData& data) {
  fills_.clear();
  const ImVec2 pos = data.DisplayPos, size = data.DisplaySize;
  for (ImDrawList* list : data.CmdLists)
    SplitList(*list, {pos.x, pos.y, pos.x + size.x, pos.y + size.y});
}

void SolidFills::SplitList(ImDrawList& list, const ImVec4& window) {
  const ImTextureRef atlas = ImGui::GetIO().Fonts->TexRef;
  const ImVec2 white = ImGui::GetFontTexUvWhitePixel();
  ImVector<ImDrawCmd> split;
  for (int i = 0; i < list.CmdBuffer.Size; ++i) {
    const ImDrawCmd& command = list.CmdBuffer[i];
    const bool of_atlas =
        command.TexRef._TexData == atlas._TexData && command.TexRef._TexID == atlas._TexID;
    const std::vector<SolidRun> runs =
        of_atlas ? FindSolidRuns(list, command, white, kLeastPixels) : std::vector<SolidRun>();
    uint32_t at = 0;
    const auto add = [&](uint32_t end) {
      if (end == at) return;
      split.push_back(command);
      split.back().IdxOffset += at;
      split.back().ElemCount = end - at;
      at = end;
    };
    const auto call = [&](ImDrawCallback callback, Fill* fill) {
      split.push_back(command);
      split.back().ElemCount = 0;
      split.back().UserCallback = callback;
      split.back().UserCallbackData = fill;
    };
    for (const SolidRun& run : runs) {
      add(run.begin);
      Fill* fill = &fills_.emplace_back(Fill{this, run.opaque, window});
      call(&SolidFills::BeginCallback, fill);
      add(run.end);
      call(&SolidFills::EndCallback, fill);
    }
    if (runs.empty()) {
      split.push_back(command);
    } else {
      add(command.ElemCount);
    }
  }
  list.CmdBuffer.swap(split);
}

void SolidFills::BeginCallback(const ImDrawList*, const ImDrawCmd* command) {
  const auto* fill = static_cast<const Fill*>(command->UserCallbackData);
  fill->self->Begin(*fill);
}

void SolidFills::EndCallback(const ImDrawList*, const ImDrawCmd* command) {
  static_cast<const Fill*>(command->UserCallbackData)->self->End();
}

// The backend has bound its vertex array and the list's vertices.
void SolidFills::Begin(const Fill& fill) {
  glGetIntegerv(GL_CURRENT_PROGRAM, &program_before_);
  glUseProgram(program_);
  const auto [left, top, right, bottom] = fill.window;
  const std::array<float, 16> projection = {2 / (right - left),
                                            0,
                                            0,
                                            0,
                                            0,
                                            2 / (top - bottom),
                                            0,
                                            0,
                                            0,
                                            0,
                                            -1,
                                            0,
                                            (right + left) / (left - right),
                                            (top + bottom) / (bottom - top),
                                            0,
                                            1};
  glUniformMatrix4fv(projection_, 1, GL_FALSE, projection.data());
  const auto attribute = [](GLuint index, GLint count, GLenum type, GLboolean normal, size_t at) {
    glEnableVertexAttribArray(index);
    glVertexAttribPointer(index, count, type, normal, sizeof(ImDrawVert),
                          reinterpret_cast<const void*>(at));
  };
  attribute(kPositionAt, 2, GL_FLOAT, GL_FALSE, offsetof(ImDrawVert, pos));
  attribute(kColorAt, 4, GL_UNSIGNED_BYTE, GL_TRUE, offsetof(ImDrawVert, col));
  if (fill.opaque) glDisable(GL_BLEND);
}

void SolidFills::End() {
  glDisableVertexAttribArray(kPositionAt);
  glDisableVertexAttribArray(kColorAt);
  glUseProgram(static_cast<GLuint>(program_before_));
  glEnable(GL_BLEND);
}

}  // namespace stepscope
