// Draws a Waterfall (model/compare/waterfall.h): a row for each bar, with its name, the bar and its
// number. UI thread only.
#pragma once

#include <imgui.h>

#include "model/compare/waterfall.h"
#include "viewer/core/panel.h"

namespace stepscope {

struct WaterfallChoice {
  int bar = -1;       // index of the bar that the user chose in this frame, or -1
  bool show = false;  // its events are wanted: a click, or Enter
};

float WaterfallRowHeight(const PanelContext& context);
// Draws the bars in a child window, which scrolls if `size` is too low for them. `current` is the
// bar that is marked, or -1. The arrow keys choose another one while the child has the keyboard, or
// if `keys` says that the panel has it. O(bars).
WaterfallChoice DrawWaterfall(const PanelContext& context, const char* id,
                              const compare::Waterfall& waterfall, int current, bool keys,
                              ImVec2 size);

}  // namespace stepscope
