// DepthFirst: a depth-first search without recursion, for graphs from files. Marks stay between
// visits, so that a node is left once. One thread. O(nodes + edges) for all visits.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace stepscope::xla {

class DepthFirst {
 public:
  // Nodes are first, first + 1, ..., first + nodes - 1.
  explicit DepthFirst(size_t nodes, uint32_t first = 0) : state_(nodes), first_(first) {}

  // edges(n): how many; target(n, k): the node of edge k, or ~0 for none. cut(n, k) is called for
  // an edge that closes a circle, which is not followed. leave(n): all that n leads to was left.
  template <typename Edges, typename Target, typename Cut, typename Leave>
  void Visit(uint32_t node, Edges edges, Target target, Cut cut, Leave leave) {
    if (state_[node - first_] != State::kNew) return;
    Enter(node);
    while (!stack_.empty()) {
      const uint32_t at = stack_.back().first;
      const uint32_t edge = stack_.back().second;
      if (edge == edges(at)) {
        state_[at - first_] = State::kLeft;
        stack_.pop_back();
        leave(at);
        continue;
      }
      ++stack_.back().second;
      const uint32_t next = target(at, edge);
      if (next == ~uint32_t{0} || state_[next - first_] == State::kLeft) continue;
      if (state_[next - first_] == State::kNew) {
        Enter(next);
      } else {
        cut(at, edge);
      }
    }
  }

 private:
  enum class State : uint8_t { kNew, kEntered, kLeft };
  void Enter(uint32_t node) {
    state_[node - first_] = State::kEntered;
    stack_.emplace_back(node, 0);
  }

  std::vector<State> state_;
  uint32_t first_;
  std::vector<std::pair<uint32_t, uint32_t>> stack_;  // nodes that are entered, and their next edge
};

}  // namespace stepscope::xla
