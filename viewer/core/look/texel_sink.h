// TexelSink: draws rows of texels as part of an ImGui draw list. Implementations: viewer/gl (one
// texture, one strip a row), DrawListSink (rectangles, no GL), and recording ones in tests. UI
// thread only.
//
// A texel is one pixel column of one row: red, green, blue, and an alpha byte with
// coverage and flags.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "model/base/color.h"

struct ImDrawList;
struct ImVec2;

namespace stepscope {

namespace texel {
inline constexpr uint32_t kEmpty = 0;
inline constexpr uint32_t kOpaque = 63;  // coverage: bits 0..5 of the alpha byte
inline constexpr uint32_t kEdge = 64;    // last column of a slice: drawn as the gap to the next
inline constexpr uint32_t kDim = 128;    // not among the events searched for or highlighted
constexpr uint32_t Make(Rgba color, uint32_t coverage, uint32_t flags = 0) {
  return (color & 0xffffffu) | ((coverage | flags) << 24);
}
constexpr uint32_t Alpha(uint32_t t) { return t >> 24; }

// A column of curves on each other: red, green and blue are their heights from the lowest up, each
// no less than the one below it; 255 is the row's height.
inline constexpr size_t kStackCurves = 3;
constexpr uint32_t WithHeight(uint32_t t, size_t curve, uint32_t height) {
  return (t & ~(0xffu << 8 * curve)) | height << 8 * curve;
}
constexpr uint32_t HeightIn(uint32_t t, size_t curve) { return t >> 8 * curve & 0xffu; }

// Hatching: kept in the lowest bits of red and green, where TexelFrame::patterns is true.
enum class Pattern : uint8_t { kPlain, kRising, kFalling, kCrossed };
constexpr Rgba WithPattern(Rgba color, Pattern pattern) {
  const auto bits = static_cast<uint32_t>(pattern);
  return (color & ~0x101u) | (bits & 1u) | (bits & 2u) << 7;
}
constexpr Pattern PatternIn(uint32_t t) { return static_cast<Pattern>((t & 1u) | (t >> 7 & 2u)); }
}  // namespace texel

// The content of one pixel line of the canvas.
struct TexelLine {
  enum Kind : uint16_t { kNone, kSlices, kArea, kStack };
  uint16_t row = 0;     // row of texels
  uint16_t y = 0;       // line within the row, from its top
  uint16_t height = 0;  // lines of the row
  // kArea: the alpha byte is the height of a filled curve, 255: all of it. kStack: several curves,
  // texel::HeightIn
  uint16_t kind = kNone;
};

struct TexelFrame {
  uint32_t slot = 0;   // the sink's texture: 0 timeline, 1 its minimap, then more such pairs
  float x = 0, y = 0;  // top left, in ImGui coordinates
  uint32_t width = 0, rows = 0;                   // texels
  std::span<const uint32_t> texels;               // rows * width
  std::span<const TexelLine> lines;               // one per pixel line of the canvas
  uint32_t dirty_begin = 0, dirty_end = 0;        // rows that differ from the slot's last frame
  Rgba background = 0xff000000u;                  // what dimmed slices fade to
  float dim = 0.75f;                              // how far
  bool patterns = false;                          // slices are hatched by texel::PatternIn
  std::array<Rgba, texel::kStackCurves> stack{};  // colours of the curves of kStack
};

// Asserts that a frame has the texels of all its rows.
void CheckTexels(const TexelFrame& frame);

class TexelSink {
 public:
  static constexpr uint32_t kSlots = 10;
  virtual ~TexelSink() = default;
  // Spans must live until the draw list is rendered.
  virtual void Draw(const TexelFrame& frame, ImDrawList* list) = 0;
};

// Draws the strokes of a pattern over a box, in the colour of what lies behind the box.
void DrawHatching(ImDrawList* list, texel::Pattern pattern, ImVec2 min, ImVec2 max,
                  Rgba background);

// Draws rectangles into the draw list; adjacent equal texels become one. For windows without GL and
// for tests.
class DrawListSink final : public TexelSink {
 public:
  void Draw(const TexelFrame& frame, ImDrawList* list) override;
};

}  // namespace stepscope
