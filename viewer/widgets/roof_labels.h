// Places the names of a roofline's limits so that none covers another, whatever the size of the
// plot. Pure; any thread. Pixels, y down.
#pragma once

#include <imgui.h>

#include <span>
#include <vector>

namespace stepscope {

// The part of a limit's line that the plot shows, from left to right, and the size of its name.
// Level lines are limits of arithmetic, rising ones of memory.
struct RoofLine {
  ImVec2 from, to, name;
};

// A point of the plot, which a name leaves free where it can.
struct RoofPoint {
  ImVec2 at;
  float radius = 0;
};

struct RoofLabel {
  ImVec2 at;           // top left corner
  bool shown = false;  // false: there is no room for the name
};

// One label a line. A name stays inside the plot, near its line. Level lines come first: their
// names stand at the right end, or left of a name that is there already. Names of rising lines
// stand below or above their lines, and keep off the others and off points where they can.
// O(lines^2 + lines * points).
std::vector<RoofLabel> PlaceRoofLabels(std::span<const RoofLine> lines, ImVec2 plot_min,
                                       ImVec2 plot_max, float em,
                                       std::span<const RoofPoint> points = {});

}  // namespace stepscope
