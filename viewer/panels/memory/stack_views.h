// What was live at a moment of a memory snapshot, by the stacks that allocated it: as a tree and as
// a flame graph. UI thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "model/analysis/memory/stack_tree.h"
#include "model/base/color.h"
#include "viewer/core/panel.h"

namespace stepscope {

// Fills what is left of the window. At most `kMostTreeRows` open rows are drawn.
inline constexpr size_t kMostTreeRows = 2000;
void DrawStackTree(const PanelContext& context, const AllocatorHistory& history,
                   const StackTree& tree);

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
