// Where the parts of the timeline lie in its window. Plain data, in pixels of the screen.
#pragma once

namespace stepscope {

struct Box {
  float x = 0, y = 0, w = 0, h = 0;
  bool Has(float px, float py) const { return px >= x && px < x + w && py >= y && py < y + h; }
  float right() const { return x + w; }
  float bottom() const { return y + h; }
};

// Where something of this size begins that is to lie around `middle` between `from` and `to`. Where
// there is no room for it, at `from`.
float PlaceAround(float middle, float size, float from, float to);

// What lies above the rows, beside ruler and steps.
struct TopParts {
  bool title = false;  // of the run, where each has rows of its own
  bool minimap = true;
};

struct TimelineGeometry {
  Box all, title, minimap, minimap_bar, ruler, strip, labels, rows, scrollbar;
  float unit = 1;  // pixels of 1/14 of the UI font: 1 at scale 1
  // The names of tracks take `label_width` pixels, but never more than half of it all.
  static TimelineGeometry Make(const Box& all, float unit, float label_width,
                               const TopParts& top = {});
  // Whole pixels of a length at scale 1.
  float Px(float at_scale_1) const;
  bool drawable() const { return rows.w >= 16 && rows.h >= 16; }
};

}  // namespace stepscope
