// LayeredLayout: places the nodes of a graph without cycles in layers, each below those that lead
// to it, with few crossings and straight edges (after Sugiyama): layers by longest path, order
// within them by barycentres, places by least squares. Pure; any thread. O(passes * (nodes + edges
// over layers) * log).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace stepscope {

struct GraphPoint {
  float x = 0, y = 0;
};

struct LayoutNode {
  float width = 0, height = 0;  // in any unit
};

struct LayoutEdge {
  uint32_t from = 0, to = 0;  // nodes; an edge that a cycle needs is drawn upwards
};

struct LayoutGaps {
  float x = 1, y = 2;  // between nodes of a layer, and between layers
};

struct LayeredLayout {
  std::vector<GraphPoint> nodes;               // centres
  std::vector<std::vector<GraphPoint>> edges;  // from the lower side of `from` to the upper of `to`
  float width = 0, height = 0;                 // of all, from (0, 0)
};

LayeredLayout LayOut(std::span<const LayoutNode> nodes, std::span<const LayoutEdge> edges,
                     const LayoutGaps& gaps);

// The places next to `wanted` in the sense of least squares whose order is kept and that are at
// least `apart[i]` from the one before (apart[0] is not read). O(n). Where `weights` is large, a
// place moves little.
std::vector<double> PlaceApart(std::span<const double> wanted, std::span<const double> weights,
                               std::span<const double> apart);

}  // namespace stepscope
