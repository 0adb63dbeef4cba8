// Writes the timeline as a vector picture, as TimelinePainter draws it. A slice that stands alone
// has a title with its name and duration. O(texels of the rows in sight)
#pragma once

#include <string>
#include <string_view>

#include "viewer/timeline/painting/timeline_painter.h"

namespace stepscope {

struct ViewSvgInput {
  const TimelineModel& model;  // as the last frame left it, with the same profiles
  const TimelineScene& scene;
  // For a picture inside another one: a prefix for its ids, and its place there.
  std::string_view id = {};
  float x = 0, y = 0;
};

// Returns where the picture begins on the screen: above the ruler, at the profile's name if there
// is one.
float TopOfSvg(const TimelineGeometry& geometry);
std::string ViewSvg(const ViewSvgInput& input);

}  // namespace stepscope
