// The strip under the menu bar: the overview's verdict in one line, with its numbers and where a
// step goes. A pure view of the analysis "overview". O(1) per frame after the first.
#pragma once

#include "viewer/core/panel.h"

namespace stepscope {

float VerdictStripHeight();  // pixels, at the current scale; call inside a frame
// Fills the current window's content region. While the analysis runs it says so. True while it
// waits for the result. A click on the verdict opens the panel with its evidence.
bool DrawVerdictStrip(const PanelContext& context);
// The strip as a bar of its own at the top of the main viewport, below what is there already (the
// menu bar). Call it before the dock space is made. True while it waits for the result. Draws
// nothing without an open profile.
bool DrawVerdictBar(const PanelContext& context);
// The same for a given result; `right` is the x that it must not pass (chips of the viewer may
// follow).
void DrawVerdict(const PanelContext& context, const AnalysisResult& result, float right);

}  // namespace stepscope
