// The chart of allocation lifetimes: every allocation a box from its allocation to its
// deallocation, as high as it is large, in the colour of its op. Zooms with the timeline. O(boxes)
// a frame, of which there are a few thousand at most. UI thread only.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "model/analysis/memory/live_allocations.h"
#include "viewer/panels/time_plot.h"
#include "viewer/widgets/chart.h"

namespace stepscope {

// Every box as a line.
std::string ToCsv(const AllocationBoxes& boxes);

class MemoryBoxes {
 public:
  // Index of the box the user clicked, or -1. Boxes of ops other than `op` are dimmed, unless it is
  // empty. `key` changes whenever the boxes do; `format` is that of sizes.
  int Draw(const PanelContext& context, const AllocationBoxes& boxes, uint64_t key,
           const std::string& op, const NumberFormat& format, ImVec2 size);

  // The colour of the op's boxes and of its entry in the legend. O(log ops)
  Rgba ColorOf(const PanelContext& context, const std::string& op) const;

 private:
  void Prepare(const PanelContext& context, const AllocationBoxes& boxes, uint64_t key);
  bool Shown(uint32_t op) const;
  void DrawBoxes(const PanelContext& context, const AllocationBoxes& boxes, const std::string& op,
                 double scale) const;
  int Hit(const AllocationBoxes& boxes, double scale) const;
  static void DrawTooltip(const PanelContext& context, const AllocationBoxes& boxes, int index);

  TimePlot plot_;
  ChartState state_;                 // a bit for each entry of the legend
  std::vector<ChartSeries> legend_;  // the ops with the largest boxes by short name, and "others"
  std::vector<uint32_t> entry_;      // of the legend, by op
  std::map<std::string, Rgba, std::less<>> colors_;  // by op
  uint64_t key_ = 0;
  Rgba panel_ = 0;  // of the theme the colours are for
};

}  // namespace stepscope
