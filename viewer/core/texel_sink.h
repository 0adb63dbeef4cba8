// TexelSink: draws rows of texels as part of an ImGui draw list. Implementations: gl/row_texture
// (one texture, one strip a row), DrawListSink (rectangles, no GL), and recording ones in tests. UI
// thread only.
//
// A texel is one pixel column of one row: red, green, blue, and in the alpha byte coverage and
// flags.
#pragma once

#include <cstdint>
#include <span>

#include "viewer/core/color.h"

struct ImDrawList;
struct ImVec2;

namespace stepscope {

namespace texel {
inline constexpr uint32_t kEmpty = 0;
inline constexpr uint32_t kOpaque = 63;  // coverage: bits 0..5 of the alpha byte
inline constexpr uint32_t kEdge = 64;    // last column of a slice: drawn as the gap to the next
inline constexpr uint32_t kDim = 128;    // not among what is searched for or shown
constexpr uint32_t Make(Rgba color, uint32_t coverage, uint32_t flags = 0) {
  return (color & 0xffffffu) | ((coverage | flags) << 24);
}
constexpr uint32_t Alpha(uint32_t t) { return t >> 24; }

// Hatching, where TexelFrame::patterns says that there is any: the lowest bits of red and green.
enum class Pattern : uint8_t { kPlain, kRising, kFalling, kCrossed };
constexpr Rgba WithPattern(Rgba color, Pattern pattern) {
  const auto bits = static_cast<uint32_t>(pattern);
  return (color & ~0x101u) | (bits & 1u) | (bits & 2u) << 7;
}
constexpr Pattern PatternIn(uint32_t t) { return static_cast<Pattern>((t & 1u) | (t >> 7 & 2u)); }
}  // namespace texel

// What one pixel line of the canvas shows.
struct TexelLine {
  enum Kind : uint16_t { kNone, kSlices, kArea };
  uint16_t row = 0;       // row of texels
  uint16_t y = 0;         // line within the row, from its top
  uint16_t height = 0;    // of the row, in lines
  uint16_t kind = kNone;  // kArea: the alpha byte is the height of a filled curve, 255 = all of it
};

struct TexelFrame {
  uint32_t slot = 0;   // of the sink's textures: 0 timeline, 1 its minimap; more of them by pairs
  float x = 0, y = 0;  // top left, in ImGui coordinates
  uint32_t width = 0, rows = 0;             // texels
  std::span<const uint32_t> texels;         // rows * width
  std::span<const TexelLine> lines;         // one per pixel line of the canvas
  uint32_t dirty_begin = 0, dirty_end = 0;  // rows that differ from the slot's last frame
  Rgba background = 0xff000000u;            // what dimmed slices fade to
  float dim = 0.75f;                        // how far
  bool patterns = false;                    // slices are hatched by texel::PatternIn
};

class TexelSink {
 public:
  static constexpr uint32_t kSlots = 10;
  virtual ~TexelSink() = default;
  // Spans must live until the draw list is rendered.
  virtual void Draw(const TexelFrame& frame, ImDrawList* list) = 0;
};

// Strokes of a pattern over a box, in the colour of what lies behind it.
void DrawHatching(ImDrawList* list, texel::Pattern pattern, ImVec2 min, ImVec2 max,
                  Rgba background);

// Rectangles into the draw list: runs of equal texels become one. For windows without GL and for
// tests.
class DrawListSink final : public TexelSink {
 public:
  void Draw(const TexelFrame& frame, ImDrawList* list) override;
};

}  // namespace stepscope
