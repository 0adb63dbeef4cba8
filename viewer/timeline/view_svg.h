// The timeline as it is shown, as a vector picture: slices, names, ruler, steps, selection, arrows.
// Slices that stand alone say their name and duration when pointed at. Pure; knows no ImGui.
// O(texels of the rows in sight)
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "viewer/timeline/timeline_model.h"

namespace stepscope {

struct ViewSvgInput {
  const TimelineModel& model;  // as the last frame left it, with the same runs and names
  std::span<const Run> runs;
  const ViewState& view;
  const NameCache& names;
  // Of a picture that stands in another: sets its ids apart, and where it stands there.
  std::string_view id = {};
  float x = 0, y = 0;
};

// Where the picture begins on the screen: above the ruler, where the run's name stands if there is
// one.
float TopOfSvg(const TimelineGeometry& geometry);
std::string ViewSvg(const ViewSvgInput& input);

}  // namespace stepscope
