#include "viewer/gl/row_pieces.h"

#include <algorithm>

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

}  // namespace stepscope
