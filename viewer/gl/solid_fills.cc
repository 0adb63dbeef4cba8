#include "viewer/gl/solid_fills.h"

#include <epoxy/gl.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "shaders/embedded.h"

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

SolidFills::SolidFills()
    : program_(shaders::kSolidVert, shaders::kSolidFrag), usable_(WhyUnusable().empty()) {
  if (usable_) projection_ = glGetUniformLocation(program_.id(), "u_projection");
  for (const DrawMode mode : {kUsual, kBlended, kOpaque}) changes_[mode] = {this, mode};
}

void SolidFills::Split(ImDrawData& data) {
  if (!usable_) return;
  const ImVec2 pos = data.DisplayPos, size = data.DisplaySize;
  window_ = {pos.x, pos.y, pos.x + size.x, pos.y + size.y};
  prepared_ = false;
  for (ImDrawList* list : data.CmdLists) SplitList(*list);
}

void SolidFills::SplitList(ImDrawList& list) {
  const ImTextureRef atlas = ImGui::GetIO().Fonts->TexRef;
  const ImVec2 white = ImGui::GetFontTexUvWhitePixel();
  ImVector<ImDrawCmd> split;
  DrawMode now = kUsual;
  const auto use = [&](DrawMode mode, ImDrawCmd command) {
    if (mode == std::exchange(now, mode)) return;
    command.ElemCount = 0;
    command.UserCallback = &SolidFills::Callback;
    command.UserCallbackData = &changes_[mode];
    split.push_back(command);
  };
  for (const ImDrawCmd& command : list.CmdBuffer) {
    const bool of_atlas =
        command.TexRef._TexData == atlas._TexData && command.TexRef._TexID == atlas._TexID;
    uint32_t at = 0;
    const auto add = [&](uint32_t end, DrawMode mode) {
      if (end == at && command.ElemCount > 0) return;
      use(mode, command);
      split.push_back(command);
      split.back().IdxOffset += at;
      split.back().ElemCount = end - at;
      at = end;
    };
    if (of_atlas) {
      for (const SolidRun& run : FindSolidRuns(list, command, white, kLeastPixels)) {
        add(run.begin, kUsual);
        add(run.end, run.opaque ? kOpaque : kBlended);
      }
    }
    add(command.ElemCount, kUsual);
  }
  if (!split.empty()) use(kUsual, split.back());
  list.CmdBuffer.swap(split);
}

void SolidFills::Callback(const ImDrawList*, const ImDrawCmd* command) {
  const auto* change = static_cast<const Change*>(command->UserCallbackData);
  change->self->Use(change->mode);
}

void SolidFills::Use(DrawMode mode) {
  if (!std::exchange(prepared_, true)) Prepare();
  glUseProgram(mode == kUsual ? static_cast<GLuint>(usual_program_) : program_.id());
  mode == kOpaque ? glDisable(GL_BLEND) : glEnable(GL_BLEND);
}

// The backend has bound its vertex array, which lasts for the frame, and the vertices of all lists.
void SolidFills::Prepare() {
  glGetIntegerv(GL_CURRENT_PROGRAM, &usual_program_);
  const auto attribute = [](GLuint index, GLint count, GLenum type, GLboolean normal, size_t at) {
    glEnableVertexAttribArray(index);
    glVertexAttribPointer(index, count, type, normal, sizeof(ImDrawVert),
                          reinterpret_cast<const void*>(at));
  };
  attribute(kPositionAt, 2, GL_FLOAT, GL_FALSE, offsetof(ImDrawVert, pos));
  attribute(kColorAt, 4, GL_UNSIGNED_BYTE, GL_TRUE, offsetof(ImDrawVert, col));
  const auto [left, top, right, bottom] = window_;
  std::array<float, 16> projection{};
  projection[0] = 2 / (right - left);
  projection[5] = 2 / (top - bottom);
  projection[10] = -1;
  projection[12] = (right + left) / (left - right);
  projection[13] = (top + bottom) / (bottom - top);
  projection[15] = 1;
  glUseProgram(program_.id());
  glUniformMatrix4fv(projection_, 1, GL_FALSE, projection.data());
}

}  // namespace stepscope
