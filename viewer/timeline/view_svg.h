// The timeline as it is shown, as a vector picture: slices, names, ruler, steps, selection, arrows.
// Slices that stand alone say their name and duration when pointed at. Pure; knows no ImGui.
// O(texels of the rows in sight)
#pragma once

#include <span>
#include <string>

#include "viewer/timeline/timeline_model.h"

namespace stepscope {

struct ViewSvgInput {
  const TimelineModel& model;  // as the last frame left it, with the same runs and names
  std::span<const Run> runs;
  const ViewState& view;
  const NameCache& names;
};

std::string ViewSvg(const ViewSvgInput& input);

}  // namespace stepscope
