// The verdict strip under the menu bar: the overview's verdict in one line, its numbers, and a bar
// of where a step's time goes. It shows the analysis "overview", or the part that is computed of it
// first, and keeps only its sums. UI thread only; O(1) per frame after the first.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/analysis/analysis.h"
#include "viewer/core/look/theme.h"
#include "viewer/core/panel.h"

namespace stepscope {

// ComparisonVerdict: what a comparison says in one sentence, for the strip under the menu bar.
// Pure.
struct ComparisonVerdict {
  std::string text;           // "B takes 1.15 ms (14.7 %) longer a step: Conv2D slower, +1.15 ms."
  Role role = Role::kText2;   // the colour of slower, faster, or neither
  double ms_a = 0, ms_b = 0;  // median steps; 0: there are none
};

// `result` is a comparison of two profiles (model/compare/compare.h). The text is empty where there
// is nothing to compare. O(1)
ComparisonVerdict VerdictOf(const AnalysisResult& result);

// The sums that the strip shows, made once for each result.
struct VerdictSums {
  uint64_t serial = 0;  // AnalysisResult::serial; 0: of no result
  struct Part {
    Kind kind;
    double size;
  };
  std::vector<Part> parts;     // an average step: device work and losses, or nine classes
  double compute_percent = 0;  // share of compute in the steps' time
  bool device = false;
};
VerdictSums SumsOf(const AnalysisResult& result);

float VerdictStripHeight();  // pixels, at the current scale; call inside a frame
// Fills the content region of the current window. Returns true while it waits for the analysis, and
// says so. A click on the verdict opens the panel with its evidence.
bool DrawVerdictStrip(const PanelContext& context, VerdictSums* sums);
// Draws the strip as a bar at the top of the main viewport, below the menu bar. Call it before
// the dock space is made. Returns true while it waits for the analysis. Draws nothing without
// an open profile.
bool DrawVerdictBar(const PanelContext& context, VerdictSums* sums);
// Draws a given result. It ends at the x `right`, where the viewer's chips may begin.
void DrawVerdict(const PanelContext& context, const AnalysisResult& result, const VerdictSums& sums,
                 float right);

}  // namespace stepscope
