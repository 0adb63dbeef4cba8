// FleetTrend: step time, busy time and slowdown over the runs of a fleet, as a small plot. A click
// on a run shows it. UI thread only.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <string>
#include <vector>

#include "model/analysis/fleet/fleet.h"
#include "viewer/core/panel.h"

namespace stepscope {

class FleetTrend {
 public:
  // Draws the runs, the oldest at the left. `runs`: as Fleet::runs; `key` changes with them.
  // O(runs).
  void Draw(const PanelContext& context, const Fleet& fleet, const std::vector<RunSummary>& runs,
            uint64_t key, ImVec2 size);

 private:
  void MakeLines(const Fleet& fleet, const std::vector<RunSummary>& runs);
  double MostOf(int unit) const;
  void DrawLines(const PanelContext& context) const;
  void DrawPoint(const PanelContext& context) const;

  struct Line {
    const char* label;
    int unit;                    // 0: ms, 1: percent
    std::vector<double> values;  // by place; NaN: not known
  };
  std::vector<Line> lines_;
  std::vector<double> places_;  // 0, 1, …: the oldest first
  std::vector<std::string> names_;
  size_t shown_ = 0;  // place of the run that panels show
  uint64_t key_ = 0;
};

}  // namespace stepscope
