// Divides a row of texels into what a program must look up column by column, boxes of one colour,
// and nothing. A software renderer pays for every pixel: for one that is not drawn as well as for
// one that is, and for a look-up more than for a colour. Pure functions; UI thread only.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "viewer/core/look/texel_sink.h"

namespace stepscope {

// The lines of one row that are in sight.
struct RowPart {
  TexelLine::Kind kind = TexelLine::kNone;
  uint16_t first = 0, lines = 0;  // within the row, from its top
  uint16_t height = 0;            // lines of the row
};

// Columns [begin, end), lines [top, bottom) of the row.
struct RowBox {
  uint16_t begin = 0, end = 0;
  uint16_t top = 0, bottom = 0;
  std::array<float, 4> color{};  // red, green, blue, opacity
  bool opaque() const { return color[3] >= 1; }
};

struct ColumnRange {
  uint16_t begin = 0, end = 0;
  friend bool operator==(const ColumnRange&, const ColumnRange&) = default;
};

// Fewer columns of one look, or of none, are looked up: a box or a gap of their own would cost
// more.
inline constexpr size_t kLeastColumns = 48;

struct RowPieces {
  std::vector<RowBox> boxes;
  std::vector<ColumnRange> columns;  // to be looked up, in ascending order
  void Clear() { boxes.clear(), columns.clear(); }
};

// Adds the pieces of a row of at most 65,535 texels. `frame` has the colours. Hatched slices have
// no boxes. O(texels)
void AddPieces(std::span<const uint32_t> row, const RowPart& part, const TexelFrame& frame,
               RowPieces* out);

}  // namespace stepscope
