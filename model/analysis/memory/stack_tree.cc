#include "model/analysis/memory/stack_tree.h"

#include <algorithm>
#include <unordered_map>

#include "model/base/number_hash.h"

namespace stepscope {
namespace {

constexpr uint32_t kRoot = 0;

// A tree under construction: nodes in the order in which they are met, each with its parent.
class Builder {
 public:
  explicit Builder(const AllocatorHistory& history) : history_(history), nodes_(1), parent_{0} {
    for (uint32_t f = 0; f < history.frames.size(); ++f) own_.push_back(IsUserFrame(history, f));
  }

  void Add(uint32_t stack, int64_t bytes, int64_t count) {
    uint32_t node = kRoot;
    Count(node, bytes, count);
    uint32_t depth = 0;
    for (const uint32_t frame : history_.Stack(stack)) {
      if (!own_[frame]) continue;
      if (depth == StackTree::kDeepest) break;
      const uint32_t next = Child(node, frame, depth);
      if (next == kRoot) return;
      Count(node = next, bytes, count);
      ++depth;
    }
    if (depth == 0) Count(Child(kRoot, StackNode::kNoFrame, 0), bytes, count);
  }

  StackTree Take() {
    StackTree tree;
    tree.bytes = nodes_[kRoot].bytes;
    Arrange();
    // Goes depth first without recursion: the nodes that are still to be visited, the next one
    // last.
    std::vector<uint32_t> todo = BelowReversed(kRoot);
    std::vector<size_t> open;  // indices of the nodes that the next one may lie below
    while (!todo.empty()) {
      const uint32_t node = todo.back();
      todo.pop_back();
      while (open.size() > nodes_[node].depth) Close(&open, &tree);
      open.push_back(tree.nodes.size());
      tree.nodes.push_back(nodes_[node]);
      for (const uint32_t child : BelowReversed(node)) todo.push_back(child);
    }
    while (!open.empty()) Close(&open, &tree);
    return tree;
  }

 private:
  void Count(uint32_t node, int64_t bytes, int64_t count) {
    nodes_[node].bytes = SaturatingAdd(nodes_[node].bytes, bytes);
    nodes_[node].count += count;
  }

  // Returns kRoot where there are too many nodes.
  uint32_t Child(uint32_t parent, uint32_t frame, uint32_t depth) {
    const uint64_t key = uint64_t{parent} << 32 | frame;
    if (const auto known = child_.find(key); known != child_.end()) return known->second;
    if (nodes_.size() > StackTree::kMostNodes && parent != kRoot) return kRoot;
    const auto node = static_cast<uint32_t>(nodes_.size());
    nodes_.push_back({frame, depth, 0, 0, 0});
    parent_.push_back(parent);
    child_.emplace(key, node);
    return node;
  }

  // Sorts by parent, the smallest first.
  void Arrange() {
    for (uint32_t n = 1; n < nodes_.size(); ++n) order_.push_back(n);
    std::sort(order_.begin(), order_.end(), [&](uint32_t a, uint32_t b) {
      if (parent_[a] != parent_[b]) return parent_[a] < parent_[b];
      return nodes_[a].bytes != nodes_[b].bytes ? nodes_[a].bytes < nodes_[b].bytes : a > b;
    });
  }
  std::vector<uint32_t> BelowReversed(uint32_t parent) const {
    const auto from = std::lower_bound(order_.begin(), order_.end(), parent,
                                       [this](uint32_t n, uint32_t p) { return parent_[n] < p; });
    const auto to = std::upper_bound(from, order_.end(), parent,
                                     [this](uint32_t p, uint32_t n) { return p < parent_[n]; });
    return {from, to};
  }

  static void Close(std::vector<size_t>* open, StackTree* tree) {
    tree->nodes[open->back()].end = static_cast<uint32_t>(tree->nodes.size());
    open->pop_back();
  }

  const AllocatorHistory& history_;
  std::vector<bool> own_;         // by frame: whether it is the program's
  std::vector<StackNode> nodes_;  // [0] is the root
  std::vector<uint32_t> parent_;  // as nodes_
  std::vector<uint32_t> order_;
  std::unordered_map<uint64_t, uint32_t, SeededHash> child_;
};

}  // namespace

StackTree LiveTree(const AllocatorHistory& history, const AllocatorDevice& device, uint32_t event) {
  struct Sum {
    int64_t bytes = 0, count = 0;
  };
  std::vector<Sum> sums(history.stack_count());
  for (const Allocation& a : device.allocations.span()) {
    if (!a.LiveAfter(event)) continue;
    sums[a.stack].bytes = SaturatingAdd(sums[a.stack].bytes, a.size);
    ++sums[a.stack].count;
  }
  Builder builder(history);
  for (uint32_t s = 0; s < sums.size(); ++s) {
    if (sums[s].count > 0) builder.Add(s, sums[s].bytes, sums[s].count);
  }
  return builder.Take();
}

std::string LabelOf(const AllocatorHistory& history, const StackNode& node) {
  if (node.frame == StackNode::kNoFrame) return "no frame of the program";
  return FrameLabel(history, node.frame);
}

double PercentOf(const StackTree& tree, const StackNode& node) {
  if (tree.bytes <= 0) return 0;
  return 100 * static_cast<double>(node.bytes) / static_cast<double>(tree.bytes);
}

}  // namespace stepscope
