// The pieces of a row show what the shaders of shaders/timeline_*.frag would draw of it.
#include "viewer/gl/row_texture.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tests/viewer/gl/shaded_texel.h"

namespace stepscope {
namespace {

using test::Color;
using test::kGround;
using test::kStackColors;

TexelFrame Frame(bool patterns = false) {
  TexelFrame frame;
  frame.background = kGround;
  frame.patterns = patterns;
  frame.stack = kStackColors;
  return frame;
}

RowPieces PiecesOf(const std::vector<uint32_t>& row, const RowPart& part, bool patterns = false) {
  RowPieces pieces;
  AddPieces(row, part, Frame(patterns), &pieces);
  return pieces;
}

bool Near(const Color& a, const Color& b) {
  if (a[3] == 0 && b[3] == 0) return true;
  // A box's dimmed colour is rounded to 8 bits.
  return std::equal(a.begin(), a.end(), b.begin(),
                    [](float x, float y) { return std::fabs(x - y) <= 1.01f / 255; });
}

// Counts pixels of the part that the pieces do not show as the shaders do, or show twice.
size_t WrongPixels(const std::vector<uint32_t>& row, const RowPart& part, const RowPieces& pieces) {
  size_t wrong = 0;
  for (uint32_t y = part.first; y < uint32_t{part.first} + part.lines; ++y) {
    for (uint32_t x = 0; x < row.size(); ++x) {
      const Color shaded = test::Shaded(part.kind, row[x], y, part.height, Frame().dim);
      size_t shown = 0;
      bool right = true;
      for (const ColumnRange& c : pieces.columns) shown += x >= c.begin && x < c.end;
      for (const RowBox& box : pieces.boxes) {
        if (x < box.begin || x >= box.end || y < box.top || y >= box.bottom) continue;
        ++shown;
        right = Near(box.color, shaded);
      }
      if (shown == 0) right = shaded[3] == 0;
      wrong += !right || shown > 1;
    }
  }
  return wrong;
}

std::vector<uint32_t> RandomRow(std::mt19937& random, TexelLine::Kind kind) {
  std::vector<uint32_t> row;
  const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  while (row.size() < 2000) {
    auto t = static_cast<uint32_t>(random());
    if (kind == TexelLine::kSlices && below(3) != 0) t = texel::Make(t, texel::kOpaque);
    if (kind == TexelLine::kStack) {
      std::array<uint32_t, 3> heights = {below(256), below(256), below(256)};
      std::sort(heights.begin(), heights.end());
      t = texel::kEmpty;
      for (size_t i = 0; i < 3; ++i) t = texel::WithHeight(t, i, heights[i]);
    }
    if (below(3) == 0) t = texel::kEmpty;
    row.insert(row.end(), below(2) == 0 ? 1 + below(6) : 30 + below(200), t);
  }
  return row;
}

TEST_CASE("pieces of random rows show what the shaders draw, and nothing twice") {
  std::mt19937 random(7);
  size_t boxes = 0, columns = 0;
  for (const auto kind : {TexelLine::kSlices, TexelLine::kArea, TexelLine::kStack}) {
    for (int i = 0; i < 40; ++i) {
      const std::vector<uint32_t> row = RandomRow(random, kind);
      const auto height = static_cast<uint16_t>(1 + random() % 40);
      const auto first = static_cast<uint16_t>(random() % height);
      const auto lines =
          static_cast<uint16_t>(1 + random() % static_cast<uint32_t>(height - first));
      const RowPart part{kind, first, lines, height};
      const RowPieces pieces = PiecesOf(row, part);
      CHECK(WrongPixels(row, part, pieces) == 0);
      boxes += pieces.boxes.size();
      columns += pieces.columns.size();
    }
  }
  CHECK(boxes > 100);
  CHECK(columns > 100);
}

TEST_CASE("a long slice is a box, and a long gap is nothing") {
  std::vector<uint32_t> row(1000, texel::kEmpty);
  std::fill(row.begin() + 100, row.begin() + 400, texel::Make(0xff3366ccu, texel::kOpaque));
  row[399] = texel::Make(0xff3366ccu, texel::kOpaque, texel::kEdge);
  row[700] = texel::Make(0xff3366ccu, 30);
  const RowPieces pieces = PiecesOf(row, {TexelLine::kSlices, 0, 15, 16});
  REQUIRE(pieces.boxes.size() == 1);
  CHECK(pieces.boxes[0].begin == 100);
  CHECK(pieces.boxes[0].end == 399);
  CHECK(pieces.boxes[0].bottom == 15);
  CHECK(pieces.boxes[0].opaque());
  CHECK(pieces.columns == std::vector<ColumnRange>{{700, 701}});
  CHECK(PiecesOf(std::vector<uint32_t>(1000, texel::kEmpty), {TexelLine::kSlices, 0, 15, 16})
            .columns.empty());
}

TEST_CASE("a short gap is looked up with its neighbours") {
  std::vector<uint32_t> row(300, texel::kEmpty);
  for (size_t x = 20; x < 280; x += kLeastColumns / 2) row[x] = texel::Make(0xffu, 40);
  const RowPieces pieces = PiecesOf(row, {TexelLine::kSlices, 0, 15, 16});
  CHECK(pieces.boxes.empty());
  REQUIRE(pieces.columns.size() == 1);
  CHECK(pieces.columns[0].begin == 20);
}

TEST_CASE("hatched slices and curves of more than 255 lines have no boxes") {
  const std::vector<uint32_t> slices(500, texel::Make(0xff3366ccu, texel::kOpaque));
  CHECK(PiecesOf(slices, {TexelLine::kSlices, 0, 15, 16}, true).columns.size() == 1);
  CHECK(PiecesOf(slices, {TexelLine::kSlices, 0, 15, 16}, true).boxes.empty());
  const std::vector<uint32_t> curve(500, texel::Make(0xff3366ccu, 0) | 0x80000000u);
  CHECK(PiecesOf(curve, {TexelLine::kArea, 0, 300, 300}).boxes.empty());
  CHECK(PiecesOf(curve, {TexelLine::kArea, 0, 255, 255}).boxes.size() == 2);
}

}  // namespace
}  // namespace stepscope
