#include "viewer/core/look/texel_sink.h"

#include <imgui.h>

#include <cmath>

#include "model/base/check.h"

namespace stepscope {
namespace {

constexpr uint32_t kAlphaMask = 0xffu;
constexpr float kAreaOpacity = 0.35f, kStackOpacity = 0.55f;

void DrawSliceRow(const TexelFrame& frame, std::span<const uint32_t> row, float y, float height,
                  ImDrawList* list) {
  uint32_t begin = 0;
  for (uint32_t x = 1; x <= row.size(); ++x) {
    if (x < row.size() && row[x] == row[begin]) continue;
    const uint32_t alpha = texel::Alpha(row[begin]) & kAlphaMask;
    const uint32_t coverage = alpha & texel::kOpaque;
    if (coverage != 0 && (alpha & texel::kEdge) == 0) {
      Rgba color = (row[begin] & 0xffffffu) | 0xff000000u;
      if ((alpha & texel::kDim) != 0) color = Mix(color, frame.background, frame.dim);
      const float opacity = static_cast<float>(coverage) / static_cast<float>(texel::kOpaque);
      list->AddRectFilled({frame.x + static_cast<float>(begin), y},
                          {frame.x + static_cast<float>(x), y + height - 1},
                          WithAlpha(color, opacity));
      const texel::Pattern pattern = texel::PatternIn(row[begin]);
      if (frame.patterns && pattern != texel::Pattern::kPlain)
        DrawHatching(list, pattern, {frame.x + static_cast<float>(begin), y},
                     {frame.x + static_cast<float>(x), y + height - 1}, frame.background);
    }
    begin = x;
  }
}

void DrawAreaRow(const TexelFrame& frame, std::span<const uint32_t> row, float y, float height,
                 ImDrawList* list) {
  for (uint32_t x = 0; x < row.size(); ++x) {
    const float value = static_cast<float>(texel::Alpha(row[x])) / 255.0f;
    if (value <= 0) continue;
    const float left = frame.x + static_cast<float>(x);
    list->AddRectFilled({left, y + height * (1 - value)}, {left + 1, y + height},
                        WithAlpha(row[x] & 0xffffffu, kAreaOpacity));
  }
}

void DrawStackRow(const TexelFrame& frame, std::span<const uint32_t> row, float y, float height,
                  ImDrawList* list) {
  for (uint32_t x = 0; x < row.size(); ++x) {
    const float left = frame.x + static_cast<float>(x);
    float below = 0;
    for (size_t i = 0; i < texel::kStackCurves; ++i) {
      const float value = static_cast<float>(texel::HeightIn(row[x], i)) / 255.0f;
      if (value <= below) continue;
      list->AddRectFilled({left, y + height * (1 - value)}, {left + 1, y + height * (1 - below)},
                          WithAlpha(frame.stack[i], kStackOpacity));
      below = value;
    }
  }
}

}  // namespace

void DrawHatching(ImDrawList* list, texel::Pattern pattern, ImVec2 min, ImVec2 max,
                  Rgba background) {
  constexpr float kPeriod = 7, kWidth = 1.5f;
  const auto bits = static_cast<uint32_t>(pattern);
  const Rgba stroke = WithAlpha(background, 0.5f);
  const float height = max.y - min.y;
  list->PushClipRect(min, max, true);
  float x = std::floor((min.x - height) / kPeriod) * kPeriod;
  while (x < max.x) {
    if ((bits & 1u) != 0) list->AddLine({x, max.y}, {x + height, min.y}, stroke, kWidth);
    if ((bits & 2u) != 0) list->AddLine({x, min.y}, {x + height, max.y}, stroke, kWidth);
    x += kPeriod;
  }
  list->PopClipRect();
}

void CheckTexels(const TexelFrame& frame) {
  STEPSCOPE_DCHECK(frame.texels.size() >= size_t{frame.width} * frame.rows);
}

void DrawListSink::Draw(const TexelFrame& frame, ImDrawList* list) {
  CheckTexels(frame);
  for (size_t i = 0; i < frame.lines.size(); ++i) {
    const TexelLine& line = frame.lines[i];
    const bool first =
        i == 0 || frame.lines[i - 1].row != line.row || frame.lines[i - 1].kind != line.kind;
    if (line.kind == TexelLine::kNone || !first || line.row >= frame.rows) continue;
    const auto row = frame.texels.subspan(size_t{line.row} * frame.width, frame.width);
    const float y = frame.y + static_cast<float>(i) - static_cast<float>(line.y);
    const float height = static_cast<float>(line.height);
    if (line.kind == TexelLine::kSlices) {
      DrawSliceRow(frame, row, y, height, list);
    } else if (line.kind == TexelLine::kStack) {
      DrawStackRow(frame, row, y, height, list);
    } else {
      DrawAreaRow(frame, row, y, height, list);
    }
  }
}

}  // namespace stepscope
