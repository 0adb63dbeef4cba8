// StackFlames: what was live at a moment as a flame graph: a box is as wide as its bytes, makers
// stand on top and their callers below them. UI thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "model/analysis/memory/stack_tree.h"
#include "model/base/color.h"
#include "viewer/core/panel.h"

namespace stepscope {

struct FlameBox {
  uint32_t node;      // index in the tree
  uint32_t row;       // 0: the root's, else below it
  float left, width;  // in pixels
};

inline constexpr uint32_t kNoNode = ~uint32_t{0};

// The boxes of a node and of what is below it, or of all; those narrower than `least` are left out
// with what is below them. In the tree's order. O(nodes)
std::vector<FlameBox> LayFlames(const StackTree& tree, uint32_t root, float width, float least);

// Fills the rest of the window. A click makes a node the root; a click on the first row shows the
// whole tree again. `maker_color`, if given, colours makers by their labels.
void DrawStackFlames(const PanelContext& context, const AllocatorHistory& history,
                     const StackTree& tree, uint32_t* root,
                     const std::function<Rgba(const std::string&)>& maker_color = {});

}  // namespace stepscope
