// The parts of a draw plan: rows, labels, marks, boxes and slices, as plain data. Places are canvas
// pixels.
#pragma once

#include <cstdint>
#include <string_view>

#include "model/base/color.h"
#include "model/track.h"
#include "viewer/core/look/texel_sink.h"

namespace stepscope {

struct PlanRow {
  uint32_t item = 0, depth = 0;
  TexelLine::Kind kind = TexelLine::kSlices;
  const Lane* lane = nullptr;  // null: a row of instants only, or an area
  float y = 0, height = 0;     // may be negative at the top
};

struct PlanLabel {
  float x = 0, y = 0, width = 0;  // of the text; y is the row's top
  std::string_view text;          // lives as long as the NameCache's generation
  bool cut = false;               // an ellipsis follows
  bool sticks = false;            // in a row that stays at the top
  Rgba color = 0;
};

// An instant on top of slices.
struct PlanMark {
  float x = 0, y = 0;
  Rgba color = 0;
  bool sticks = false;
};

// A slice as a rectangle.
struct PlanBox {
  float x = 0, y = 0, w = 0, h = 0;
  bool sticks = false;
};

// A slice that shares its columns with no other.
struct PlanSlice {
  uint32_t px = 0, width = 0, event = 0;  // event: index in the row's lane
};

}  // namespace stepscope
