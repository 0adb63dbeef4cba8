// RowTexture: the TexelSink of windows with OpenGL 3.3. Each slot is a texture of rows, and each
// row is drawn as instanced strips and boxes with shaders/timeline*. It owns its GL objects, so its
// context must be current whenever it is used and when it goes. UI thread only.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "viewer/core/look/texel_sink.h"
#include "viewer/gl/program.h"

struct ImDrawCmd;

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

// A row of texels as boxes of one colour, and columns that a program looks up one by one. Empty
// texels are in neither: a software renderer pays for each pixel of a strip, and more for a look-up
// than for a colour.
struct RowPieces {
  std::vector<RowBox> boxes;
  std::vector<ColumnRange> columns;  // looked up; ascending
  void Clear() { boxes.clear(), columns.clear(); }
};

// Adds the pieces of a row of at most 65,535 texels. `frame` has the colours. Hatched slices have
// no boxes. O(texels)
void AddPieces(std::span<const uint32_t> row, const RowPart& part, const TexelFrame& frame,
               RowPieces* out);

class RowTexture final : public TexelSink {
 public:
  // `in_pieces`: draws as few pixels as it can (RowPieces); else as few boxes.
  explicit RowTexture(bool in_pieces);
  ~RowTexture() override;
  RowTexture(const RowTexture&) = delete;
  RowTexture& operator=(const RowTexture&) = delete;

  // Waits for a program when a frame needs it for the first time. Where one cannot be used,
  // rectangles draw the same picture, slower.
  void Draw(const TexelFrame& frame, ImDrawList* list) override;
  // Makes all programs, and returns why one cannot be used; empty: all can.
  std::string WhyUnusable();

 private:
  // Visible lines and filled columns of one row; also the layout of the vertex attributes. A vertex
  // array is made for each drawing: the contexts of several windows share textures and buffers, but
  // not those.
  struct Strip {
    uint16_t canvas_y = 0, lines = 0, row_y = 0, height = 0;
    uint16_t row = 0, begin = 0, end = 0;
  };
  // A part of one colour. The layout of vertex attributes, too.
  struct Box {
    uint16_t begin = 0, end = 0, canvas_y = 0, lines = 0;
    std::array<float, 4> color{};
  };
  // kHatched has no strips of its own: it draws those of kSlices with hatching. kBoxes draws
  // boxes and has no strips.
  enum Kind { kSlices, kArea, kStack, kHatched, kBoxes, kKinds };
  struct Slot {
    uint32_t texture = 0, buffer = 0, box_buffer = 0;
    uint32_t width = 0, rows = 0;                     // the texture's size
    std::array<std::vector<Strip>, kHatched> strips;  // by kind, for those that have strips
    std::vector<Box> boxes;                           // the opaque ones come first
    size_t opaque_boxes = 0;
  };
  struct Program {
    GlProgram gl;
    bool asked = false;  // ErrorOf has set the members below
    std::string error;   // why it cannot be used; empty: it can
    int origin = -1, framebuffer = -1, rows = -1, background = -1, dim = -1, scale = -1, stack = -1;
  };
  struct Target;
  struct DrawCall;  // copied into the draw list
  static GlProgram Begin(Kind kind);
  const std::string& ErrorOf(Kind kind);
  bool HasPrograms(const Slot& slot, bool patterns);
  static Kind KindOfLine(const TexelLine& line);
  static size_t OffsetOf(const Slot& slot, Kind kind);
  void UploadTexels(Slot& slot, const TexelFrame& frame);
  void UploadStrips(Slot& slot, const TexelFrame& frame);
  void AddPiecesOf(const TexelFrame& frame, size_t first, size_t end, Slot* slot);
  static void UploadBoxes(Slot& slot);
  void Render(const DrawCall& call, const float clip[4]);
  void DrawStrips(const DrawCall& call, Kind kind);
  void DrawBoxes(const DrawCall& call);
  static void SetUniforms(const DrawCall& call, const Program& program);
  static void Callback(const ImDrawList* list, const ImDrawCmd* command);

  const bool in_pieces_;
  std::array<Slot, kSlots> slots_;
  std::array<Program, kKinds> programs_;
  DrawListSink rectangles_;
  RowPieces pieces_;               // scratch
  std::vector<Strip> all_strips_;  // scratch
};

}  // namespace stepscope
