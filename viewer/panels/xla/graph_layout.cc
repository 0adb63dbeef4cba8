#include "viewer/panels/xla/graph_layout.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace stepscope {
namespace {

constexpr int kOrderPasses = 12, kPlacePasses = 10;
constexpr double kBendWeight = 4;      // long edges stay straighter than nodes stay centred
constexpr size_t kMostBends = 20'000;  // beyond these, long edges cross nodes
constexpr float kBendWidth = 0.6f;

// A node of the graph, or a bend of an edge that passes a layer.
struct Item {
  uint32_t node = 0xffffffffu;  // 0xffffffff: a bend
  uint32_t layer = 0;
  float width = kBendWidth;
  double x = 0;
  std::vector<uint32_t> above, below;  // items of the next layers
};

// Layers by longest path from the nodes that nothing leads to. Nodes on a cycle come last.
std::vector<uint32_t> Layers(size_t count, std::span<const LayoutEdge> edges) {
  std::vector<uint32_t> layer(count, 0), waiting(count, 0);
  std::vector<std::vector<uint32_t>> to(count);
  for (const LayoutEdge& e : edges) {
    to[e.from].push_back(e.to);
    ++waiting[e.to];
  }
  const std::vector<uint32_t> leads_in = waiting;
  std::vector<uint32_t> order;
  for (uint32_t n = 0; n < count; ++n)
    if (waiting[n] == 0) order.push_back(n);
  for (size_t i = 0; i < order.size(); ++i) {
    for (const uint32_t next : to[order[i]]) {
      layer[next] = std::max(layer[next], layer[order[i]] + 1);
      if (--waiting[next] == 0) order.push_back(next);
    }
  }
  // A node that nothing leads to stands directly above its first user.
  for (size_t i = order.size(); i-- > 0;) {
    const uint32_t n = order[i];
    if (leads_in[n] > 0 || to[n].empty()) continue;
    uint32_t first = 0xffffffffu;
    for (const uint32_t next : to[n]) first = std::min(first, layer[next]);
    layer[n] = first > 0 ? first - 1 : 0;
  }
  return layer;
}

class Layouter {
 public:
  Layouter(std::span<const LayoutNode> nodes, std::span<const LayoutEdge> edges,
           const LayoutGaps& gaps)
      : nodes_(nodes), edges_(edges), gaps_(gaps) {}

  LayeredLayout Run() {
    if (nodes_.empty()) return {};
    MakeItems();
    for (int pass = 0; pass < kOrderPasses; ++pass) Reorder(pass % 2 == 0);
    for (auto& layer : layers_) Pack(layer);
    for (int pass = 0; pass < kPlacePasses; ++pass) Place(pass % 2 == 0);
    return Collect();
  }

 private:
  void MakeItems() {
    const std::vector<uint32_t> layer = Layers(nodes_.size(), edges_);
    layers_.resize(size_t{*std::max_element(layer.begin(), layer.end())} + 1);
    for (uint32_t n = 0; n < nodes_.size(); ++n) Add(n, layer[n], nodes_[n].width);
    size_t bends = 0;
    for (const LayoutEdge& e : edges_)
      if (layer[e.to] > layer[e.from]) bends += layer[e.to] - layer[e.from] - 1;
    paths_.resize(edges_.size());
    for (size_t i = 0; i < edges_.size(); ++i) {
      const LayoutEdge& e = edges_[i];
      if (layer[e.to] <= layer[e.from]) continue;
      uint32_t last = e.from;
      for (uint32_t l = layer[e.from] + 1; l < layer[e.to] && bends <= kMostBends; ++l) {
        const uint32_t bend = Add(0xffffffffu, l, kBendWidth);
        paths_[i].push_back(bend);
        Connect(last, bend);
        last = bend;
      }
      if (bends <= kMostBends || layer[e.to] == layer[e.from] + 1) Connect(last, e.to);
    }
  }

  uint32_t Add(uint32_t node, uint32_t layer, float width) {
    const auto index = static_cast<uint32_t>(items_.size());
    Item item;
    item.node = node;
    item.layer = layer;
    item.width = width;
    item.x = static_cast<double>(layers_[layer].size());
    items_.push_back(std::move(item));
    layers_[layer].push_back(index);
    return index;
  }

  void Connect(uint32_t above, uint32_t below) {
    items_[above].below.push_back(below);
    items_[below].above.push_back(above);
  }

  // Sorts each layer by the mean place of what its items are connected to in the layer before.
  void Reorder(bool down) {
    for (size_t k = 0; k < layers_.size(); ++k) {
      auto& layer = layers_[down ? k : layers_.size() - 1 - k];
      std::vector<std::pair<double, uint32_t>> order;
      for (size_t i = 0; i < layer.size(); ++i) {
        const auto& beside = down ? items_[layer[i]].above : items_[layer[i]].below;
        double sum = 0;
        for (const uint32_t other : beside) sum += items_[other].x;
        const double own = static_cast<double>(i);
        order.emplace_back(beside.empty() ? own : sum / static_cast<double>(beside.size()),
                           layer[i]);
      }
      std::stable_sort(order.begin(), order.end(),
                       [](const auto& a, const auto& b) { return a.first < b.first; });
      for (size_t i = 0; i < layer.size(); ++i) {
        layer[i] = order[i].second;
        items_[layer[i]].x = static_cast<double>(i);
      }
    }
  }

  double Apart(const Item& a, const Item& b) const {
    return static_cast<double>((a.width + b.width) / 2 + gaps_.x);
  }

  void Pack(const std::vector<uint32_t>& layer) {
    double x = 0;
    for (size_t i = 0; i < layer.size(); ++i) {
      if (i > 0) x += Apart(items_[layer[i - 1]], items_[layer[i]]);
      items_[layer[i]].x = x;
    }
  }

  // Moves the items of each layer towards the mean of what they are connected to.
  void Place(bool down) {
    for (size_t k = 0; k < layers_.size(); ++k) {
      const auto& layer = layers_[down ? k : layers_.size() - 1 - k];
      std::vector<double> wanted, weights, apart;
      for (size_t i = 0; i < layer.size(); ++i) {
        const Item& item = items_[layer[i]];
        double sum = 0, count = 0;
        for (const auto* side : {&item.above, &item.below}) {
          const double weight = (side == &item.above) == down ? 2 : 1;
          for (const uint32_t other : *side) sum += weight * items_[other].x, count += weight;
        }
        wanted.push_back(count > 0 ? sum / count : item.x);
        weights.push_back(item.node == 0xffffffffu ? kBendWeight : count > 0 ? 1 : 0.1);
        apart.push_back(i > 0 ? Apart(items_[layer[i - 1]], item) : 0);
      }
      const std::vector<double> placed = PlaceApart(wanted, weights, apart);
      for (size_t i = 0; i < layer.size(); ++i) items_[layer[i]].x = placed[i];
    }
  }

  LayeredLayout Collect() const {
    LayeredLayout out;
    double left = 1e300, right = -1e300;
    for (const Item& item : items_) {
      left = std::min(left, item.x - static_cast<double>(item.width) / 2);
      right = std::max(right, item.x + static_cast<double>(item.width) / 2);
    }
    out.width = static_cast<float>(right - left);
    std::vector<float> middle(layers_.size());
    float y = 0;
    for (size_t l = 0; l < layers_.size(); ++l) {
      float height = 0;
      for (const uint32_t i : layers_[l])
        if (items_[i].node != 0xffffffffu) height = std::max(height, nodes_[items_[i].node].height);
      middle[l] = y + height / 2;
      y += height + (l + 1 < layers_.size() ? gaps_.y : 0);
    }
    out.height = y;
    const auto at = [&](uint32_t i) {
      return GraphPoint{static_cast<float>(items_[i].x - left), middle[items_[i].layer]};
    };
    for (uint32_t n = 0; n < nodes_.size(); ++n) out.nodes.push_back(at(n));
    for (size_t e = 0; e < edges_.size(); ++e) {
      std::vector<GraphPoint>& path = out.edges.emplace_back();
      path.push_back(out.nodes[edges_[e].from]);
      path.back().y += nodes_[edges_[e].from].height / 2;
      for (const uint32_t bend : paths_[e]) path.push_back(at(bend));
      path.push_back(out.nodes[edges_[e].to]);
      path.back().y -= nodes_[edges_[e].to].height / 2;
    }
    Spread(&out);
    return out;
  }

  // The ends of edges stand beside each other along the side of their node, in the order of where
  // they come from.
  void Spread(LayeredLayout* out) const {
    for (const bool arrives : {false, true}) {
      std::vector<std::vector<size_t>> ends(nodes_.size());
      for (size_t e = 0; e < edges_.size(); ++e)
        ends[arrives ? edges_[e].to : edges_[e].from].push_back(e);
      const auto other = [&](size_t e) {
        const auto& path = out->edges[e];
        return arrives ? path[path.size() - 2].x : path[1].x;
      };
      for (uint32_t n = 0; n < nodes_.size(); ++n) {
        auto& of = ends[n];
        std::stable_sort(of.begin(), of.end(),
                         [&](size_t a, size_t b) { return other(a) < other(b); });
        const auto count = static_cast<float>(of.size());
        const float step = std::min(1.0f, nodes_[n].width * 0.8f / std::max(count, 1.0f));
        for (size_t k = 0; k < of.size(); ++k) {
          auto& path = out->edges[of[k]];
          (arrives ? path.back() : path.front()).x +=
              step * (static_cast<float>(k) - (count - 1) / 2);
        }
      }
    }
  }

  std::span<const LayoutNode> nodes_;
  std::span<const LayoutEdge> edges_;
  const LayoutGaps gaps_;
  std::vector<Item> items_;                            // the nodes first
  std::vector<std::vector<uint32_t>> layers_, paths_;  // of items; a path: the bends of an edge
};

}  // namespace

std::vector<double> PlaceApart(std::span<const double> wanted, std::span<const double> weights,
                               std::span<const double> apart) {
  // With what must lie before each place taken away, places only have to ascend: blocks of places
  // that would not are merged at their mean (pool adjacent violators).
  struct Block {
    double sum, weight;
    size_t count;
    double mean() const { return sum / weight; }
  };
  std::vector<double> before(wanted.size(), 0);
  std::vector<Block> blocks;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (i > 0) before[i] = before[i - 1] + apart[i];
    blocks.push_back({(wanted[i] - before[i]) * weights[i], weights[i], 1});
    while (blocks.size() > 1 && blocks[blocks.size() - 2].mean() > blocks.back().mean()) {
      const Block last = blocks.back();
      blocks.pop_back();
      blocks.back().sum += last.sum;
      blocks.back().weight += last.weight;
      blocks.back().count += last.count;
    }
  }
  std::vector<double> placed;
  for (const Block& block : blocks) {
    for (size_t k = 0; k < block.count; ++k) placed.push_back(block.mean() + before[placed.size()]);
  }
  return placed;
}

LayeredLayout LayOut(std::span<const LayoutNode> nodes, std::span<const LayoutEdge> edges,
                     const LayoutGaps& gaps) {
  return Layouter(nodes, edges, gaps).Run();
}

}  // namespace stepscope
