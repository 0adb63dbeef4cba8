// RooflineChart: how near rows of a table are to the limits of a device. A point for each row: the
// operations a byte against the operations a second, both logarithmic, as large as its time. Lines
// for the limits: a slanted one for each memory, a flat one for the arithmetic; they meet at the
// ridge point. O(points) a frame. UI thread only.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "viewer/core/panel.h"
#include "viewer/widgets/chart.h"

namespace stepscope {

// The part of a limit's line that the plot shows, from left to right, and the size of its name.
// Level lines are limits of arithmetic, rising ones of memory.
struct RoofLine {
  ImVec2 from, to, name;
};

// A point of the plot. Names avoid points if there is room beside them.
struct RoofPoint {
  ImVec2 at;
  float radius = 0;
};

struct RoofLabel {
  ImVec2 at;           // top left corner
  bool shown = false;  // false: there is no room for the name
};

// Places the names of limits so that none covers another, whatever the size of the plot: one label
// a line. Any thread; pixels, y down. A name stays inside the plot, near its line. Level lines come
// first: their names stand at the right end, or left of a name that is there already. Names of
// rising lines stand below or above their lines, and keep off the others and off points where they
// can. O(lines^2 + lines * points).
std::vector<RoofLabel> PlaceRoofLabels(std::span<const RoofLine> lines, ImVec2 plot_min,
                                       ImVec2 plot_max, float em,
                                       std::span<const RoofPoint> points = {});

struct RooflinePoint {
  double intensity = 0, gflops = 0;
  double time = 0;     // in any unit
  uint32_t row = 0;    // of the table
  uint32_t group = 0;  // index of its group
  bool ring = false;   // a sum, such as a step: drawn as a ring
};

struct Roof {
  std::string label;
  double gb_per_s = 0;  // of a memory; 0: the roof of the arithmetic
  double gflops = 0;
};

struct RooflineData {
  std::vector<RooflinePoint> points;  // by time, the largest first
  std::vector<std::string> groups;    // one colour each; the group with most time is first
  std::vector<Roof> roofs;
  std::string sums;     // what the legend calls points that are sums
  size_t left_out = 0;  // rows without operations or bytes, which no logarithm has
};

struct GroupedPoint {
  RooflinePoint point;     // without its group
  std::string_view group;  // the group's name; sums have none
};
// Leaves out points without operations or bytes. O(points log points).
RooflineData MakeRoofline(std::span<const GroupedPoint> points);
std::string ToCsv(const RooflineData& data);

class RooflineChart {
 public:
  // Returns the row whose point was clicked, or -1. `chosen`: the row that is marked, or -1.
  // `shown`: by row, whether its point is bright; empty: all are. `key` changes with the data.
  int Draw(const PanelContext& context, const RooflineData& data, uint64_t key, int chosen,
           const std::vector<bool>& shown, const std::function<std::string(uint32_t)>& tooltip,
           ImVec2 size);

 private:
  void Prepare(const PanelContext& context, const RooflineData& data, uint64_t key);
  void DrawRoofs(const PanelContext& context, const RooflineData& data,
                 const std::function<void()>& draw_points) const;
  void DrawPoints(const PanelContext& context, const RooflineData& data, int chosen,
                  const std::vector<bool>& shown) const;
  int Hit(const RooflineData& data) const;
  float RadiusOf(const RooflinePoint& point) const;
  bool Shown(const RooflinePoint& point) const;

  std::vector<ChartSeries> legend_;
  ChartState state_;
  double most_time_ = 0;
  double x_min_ = 0.1, x_max_ = 1000, y_min_ = 1, y_max_ = 1000;
  uint64_t key_ = 0;
  Rgba panel_ = 0;  // of the theme the colours are for
  bool fit_ = false;
};

}  // namespace stepscope
