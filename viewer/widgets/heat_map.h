// HeatMap: numbers in rows and columns as colours, with a scale beside them. Owns nothing but the
// cell under the mouse. Rows and columns that are narrower than a pixel share it: the largest
// number counts, and the mouse points at its row. A frame costs O(cells) and draws O(pixels). UI
// thread only.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "viewer/core/panel.h"

namespace stepscope {

struct HeatMapData {
  std::vector<std::string> rows, columns;  // labels
  std::vector<double> values;              // row by row; NaN: not known
  double most = 0;                         // the largest value; 0: there is no scale
  std::string unit_text;  // what the scale ends with, as in "3 ms", or stands for it
  double at(size_t row, size_t column) const { return values[row * columns.size() + column]; }
};

struct HeatCell {
  size_t row = 0, column = 0;
  bool operator==(const HeatCell&) const = default;
};

struct HeatMapAnswer {
  bool hovered = false, clicked = false;
  HeatCell cell;
};

// Draws at the cursor, as wide as the window and as high as HeatMapHeight says.
HeatMapAnswer DrawHeatMap(const PanelContext& context, const HeatMapData& data,
                          const char* column_title);
// The height in pixels, not above `most`.
float HeatMapHeight(const HeatMapData& data, float most);

}  // namespace stepscope
