// StackTree: what was live at a moment of a memory snapshot, as a tree of the stacks that
// allocated it. The program's innermost frames come first, below each its callers. Frames of
// libraries are left out. Immutable.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/allocator_history.h"

namespace stepscope {

struct StackNode {
  static constexpr uint32_t kNoFrame = 0xffffffffu;  // a stack without a frame of the program
  uint32_t frame = kNoFrame;                         // index into AllocatorHistory::frames
  uint32_t depth = 0;
  uint32_t end = 0;  // the first node after those below this one
  int64_t bytes = 0, count = 0;
};

struct StackTree {
  static constexpr uint32_t kDeepest = 64;      // frames of a stack; further callers are left out
  static constexpr size_t kMostNodes = 50'000;  // callers are left out beyond that
  std::vector<StackNode> nodes;                 // in order: a node, then the nodes below it
  int64_t bytes = 0;                            // of everything that was live
};

// The tree after an event of the device; siblings are sorted by falling bytes. O(allocations +
// frames of live stacks + nodes log nodes). Pure; any thread.
StackTree LiveTree(const AllocatorHistory& history, const AllocatorDevice& device, uint32_t event);

// "train.py:88 loss_history", or a text that says that the stack has no frame of the program.
std::string LabelOf(const AllocatorHistory& history, const StackNode& node);
// The node's share of everything that was live.
double PercentOf(const StackTree& tree, const StackNode& node);

}  // namespace stepscope
