// StackTree: what was live at a moment of a memory snapshot by the stacks that made it, as a tree:
// the program's innermost frames first, below each those who called it. Frames of libraries are
// left out. Immutable.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/allocator_history.h"

namespace stepscope {

struct StackNode {
  static constexpr uint32_t kNoFrame = 0xffffffffu;  // a stack without a frame of the program
  uint32_t frame = kNoFrame;                         // of AllocatorHistory::frames
  uint32_t depth = 0;
  uint32_t end = 0;  // the first node behind those below this one
  int64_t bytes = 0, count = 0;
};

struct StackTree {
  static constexpr uint32_t kDeepest = 64;      // frames of a stack; further callers are left out
  static constexpr size_t kMostNodes = 50'000;  // callers are left out beyond that
  std::vector<StackNode> nodes;                 // in order: a node, then what is below it
  int64_t bytes = 0;                            // of all that was live
};

// After an event of the device; of siblings the one with most comes first.
// O(allocations + frames of live stacks + nodes log nodes)
StackTree LiveTree(const AllocatorHistory& history, const AllocatorDevice& device, uint32_t event);

// "train.py:88 loss_history", or that there is none.
std::string LabelOf(const AllocatorHistory& history, const StackNode& node);
// Of what was live in all.
double PercentOf(const StackTree& tree, const StackNode& node);

}  // namespace stepscope
