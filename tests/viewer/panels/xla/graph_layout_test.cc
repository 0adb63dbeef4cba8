#include "viewer/panels/xla/graph_layout.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

namespace stepscope {
namespace {

LayeredLayout Of(size_t nodes, const std::vector<LayoutEdge>& edges) {
  return LayOut(std::vector<LayoutNode>(nodes, {4, 2}), edges, {1, 2});
}

// No two boxes of a layer overlap, and each stands below what leads to it.
void CheckPlaces(const LayeredLayout& layout, const std::vector<LayoutEdge>& edges) {
  for (size_t a = 0; a < layout.nodes.size(); ++a) {
    for (size_t b = 0; b < a; ++b) {
      if (std::abs(layout.nodes[a].y - layout.nodes[b].y) < 0.1f)
        CHECK(std::abs(layout.nodes[a].x - layout.nodes[b].x) >= 4.99f);
    }
    CHECK(layout.nodes[a].x >= 1.9f);
    CHECK(layout.nodes[a].x <= layout.width - 1.9f);
  }
  for (const LayoutEdge& e : edges) CHECK(layout.nodes[e.to].y > layout.nodes[e.from].y);
}

TEST_CASE("places keep their order and distance, as near as possible to where they are wanted") {
  const std::vector<double> even{1, 1, 1}, apart{0, 2, 2};
  CHECK(PlaceApart(std::vector<double>{0, 10, 20}, even, apart) == std::vector<double>{0, 10, 20});
  CHECK(PlaceApart(std::vector<double>{5, 5, 5}, even, apart) == std::vector<double>{3, 5, 7});
  const std::vector<double> heavy{1, 1e9, 1};
  const auto placed = PlaceApart(std::vector<double>{5, 5, 5}, heavy, apart);
  CHECK(placed[1] == doctest::Approx(5));
  CHECK(PlaceApart({}, {}, {}).empty());
}

TEST_CASE("operands stand above their users, and a diamond is symmetric") {
  const std::vector<LayoutEdge> edges{{0, 1}, {0, 2}, {1, 3}, {2, 3}};
  const LayeredLayout layout = Of(4, edges);
  CheckPlaces(layout, edges);
  CHECK(layout.nodes[0].x == doctest::Approx(layout.nodes[3].x).epsilon(0.01));
  CHECK(layout.nodes[1].y == layout.nodes[2].y);
  REQUIRE(layout.edges.size() == 4);
  CHECK(layout.edges[0].front().y == doctest::Approx(layout.nodes[0].y + 1));
  CHECK(layout.edges[0].back().y == doctest::Approx(layout.nodes[1].y - 1));
}

TEST_CASE("an edge over several layers bends around what lies between") {
  const std::vector<LayoutEdge> edges{{0, 1}, {1, 2}, {2, 3}, {0, 3}};
  const LayeredLayout layout = Of(4, edges);
  CheckPlaces(layout, edges);
  REQUIRE(layout.edges[3].size() == 4);
  CHECK(std::abs(layout.edges[3][1].x - layout.nodes[1].x) > 2);
}

TEST_CASE("what nothing leads to stands directly above its first user") {
  const std::vector<LayoutEdge> edges{{0, 1}, {1, 2}, {3, 2}};
  const LayeredLayout layout = Of(4, edges);
  CHECK(layout.nodes[3].y == layout.nodes[1].y);
}

TEST_CASE("crossings that can be avoided are") {
  // Two chains, given crosswise.
  const std::vector<LayoutEdge> edges{{0, 3}, {1, 2}, {3, 4}, {2, 5}};
  const LayeredLayout layout = Of(6, edges);
  CHECK((layout.nodes[0].x < layout.nodes[1].x) == (layout.nodes[3].x < layout.nodes[2].x));
  CHECK((layout.nodes[3].x < layout.nodes[2].x) == (layout.nodes[4].x < layout.nodes[5].x));
}

TEST_CASE("no nodes, no edges, cycles, and many nodes in one layer") {
  CHECK(Of(0, {}).nodes.empty());
  CheckPlaces(Of(5, {}), {});
  const LayeredLayout cycle = Of(2, {{0, 1}, {1, 0}});
  CHECK(cycle.nodes.size() == 2);
  CHECK(cycle.edges.size() == 2);
  std::vector<LayoutEdge> fan;
  for (uint32_t i = 1; i < 400; ++i) fan.push_back({0, i});
  CheckPlaces(Of(400, fan), fan);
}

}  // namespace
}  // namespace stepscope
