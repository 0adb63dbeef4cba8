// StackTreeView: what was live at a moment as a tree table by stack. UI thread only.
#pragma once

#include "model/analysis/memory/stack_tree.h"
#include "viewer/core/panel.h"

namespace stepscope {

// Fills what is left of the window. At most `kMostTreeRows` open rows are drawn.
inline constexpr size_t kMostTreeRows = 2000;
void DrawStackTree(const PanelContext& context, const AllocatorHistory& history,
                   const StackTree& tree);

}  // namespace stepscope
