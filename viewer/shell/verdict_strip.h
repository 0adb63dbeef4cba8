// The strip under the menu bar: the overview's verdict in one line, with its numbers and where a
// step goes. A pure view of the analysis "overview". O(1) per frame after the first.
#pragma once

#include <cstdint>
#include <vector>

#include "model/analysis/analysis.h"
#include "viewer/core/panel.h"
#include "viewer/core/theme.h"

namespace stepscope {

// What the strip adds up, once for each result.
struct VerdictSums {
  uint64_t serial = 0;  // AnalysisResult::serial; 0: of none
  struct Part {
    Kind kind;
    double size;
  };
  std::vector<Part> parts;     // of a step: the device's work and its losses, or the nine classes
  double compute_percent = 0;  // of the steps' time, by the device or by the host
  bool device = false;
};
VerdictSums SumsOf(const AnalysisResult& result);

float VerdictStripHeight();  // pixels, at the current scale; call inside a frame
// Fills the current window's content region. While the analysis runs it says so. True while it
// waits for the result. A click on the verdict opens the panel with its evidence.
bool DrawVerdictStrip(const PanelContext& context, VerdictSums* sums);
// The strip as a bar of its own at the top of the main viewport, below what is there already (the
// menu bar). Call it before the dock space is made. True while it waits for the result. Draws
// nothing without an open profile.
bool DrawVerdictBar(const PanelContext& context, VerdictSums* sums);
// The same for a given result; `right` is the x that it must not pass (chips of the viewer may
// follow).
void DrawVerdict(const PanelContext& context, const AnalysisResult& result, const VerdictSums& sums,
                 float right);

}  // namespace stepscope
