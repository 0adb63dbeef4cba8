#include "model/analysis/ranks/clocks.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace stepscope {
namespace {

// The end of a collective on rank b minus that on rank a.
struct Difference {
  uint32_t a, b;
  bool together;  // all participants of such a collective end at once
  Ps ps;
};

// The median difference between the clocks of two ranks, from all collectives of one kind.
struct Edge {
  uint32_t a, b;
  bool together;
  size_t count;
  Ps ps;
};

std::vector<Difference> Differences(const CollectiveCalls& calls) {
  std::vector<Difference> found;
  for (const PairedCollective& c : calls.paired) {
    const auto of = calls.Of(c);
    const bool together = EndsTogether(calls.names[of.front().name].kind);
    for (size_t i = 1; i < of.size(); ++i)
      found.push_back({of[0].rank, of[i].rank, together, SaturatingSub(of[i].end, of[0].end)});
  }
  return found;
}

// The edges, the surest first: collectives that end together, then those with many differences.
std::vector<Edge> Edges(std::vector<Difference> all) {
  const auto key = [](const Difference& d) { return std::make_tuple(d.a, d.b, d.together); };
  std::sort(all.begin(), all.end(),
            [&](const Difference& x, const Difference& y) { return key(x) < key(y); });
  std::vector<Edge> edges;
  std::vector<Ps> values;
  for (size_t i = 0; i < all.size(); ++i) {
    values.push_back(all[i].ps);
    if (i + 1 < all.size() && key(all[i]) == key(all[i + 1])) continue;
    edges.push_back({all[i].a, all[i].b, all[i].together, values.size(), MedianOf(&values)});
    values.clear();
  }
  std::sort(edges.begin(), edges.end(), [](const Edge& x, const Edge& y) {
    return std::make_tuple(!x.together, y.count, x.a, x.b) <
           std::make_tuple(!y.together, x.count, y.a, y.b);
  });
  return edges;
}

uint32_t RootOf(std::vector<uint32_t>* parents, uint32_t r) {
  while ((*parents)[r] != r) r = (*parents)[r] = (*parents)[(*parents)[r]];
  return r;
}

// Sets offsets and components by a spanning forest of the surest edges, walked from the first
// rank of each tree.
void Place(const std::vector<Edge>& edges, std::vector<RankClock>* clocks) {
  std::vector<uint32_t> parents(clocks->size());
  std::iota(parents.begin(), parents.end(), 0u);
  std::vector<std::vector<std::pair<uint32_t, Ps>>> tree(clocks->size());
  for (const Edge& e : edges) {
    const uint32_t a = RootOf(&parents, e.a), b = RootOf(&parents, e.b);
    if (a == b) continue;
    parents[b] = a;
    tree[e.a].emplace_back(e.b, e.ps);
    tree[e.b].emplace_back(e.a, SaturatingSub(0, e.ps));
  }
  std::vector<bool> done(clocks->size());
  for (uint32_t root = 0; root < clocks->size(); ++root) {
    if (done[root]) continue;
    std::vector<uint32_t> open = {root};
    done[root] = true;
    while (!open.empty()) {
      const uint32_t r = open.back();
      open.pop_back();
      (*clocks)[r].component = root;
      (*clocks)[r].aligned = !tree[r].empty();
      for (const auto& [next, ps] : tree[r]) {
        if (done[next]) continue;
        done[next] = true;
        (*clocks)[next].offset = SaturatingAdd((*clocks)[r].offset, ps);
        open.push_back(next);
      }
    }
  }
}

void FindResiduals(const CollectiveCalls& calls, std::vector<RankClock>* clocks) {
  std::vector<std::pair<uint32_t, Ps>> distances;
  std::vector<Ps> ends;
  for (const PairedCollective& c : calls.paired) {
    const auto of = calls.Of(c);
    if (of.size() < 2 || !EndsTogether(calls.names[of.front().name].kind)) continue;
    ends.clear();
    for (const CollectiveCall& call : of)
      ends.push_back(SaturatingSub(call.end, (*clocks)[call.rank].offset));
    std::sort(ends.begin(), ends.end());
    const Ps below = ends[(ends.size() - 1) / 2], above = ends[ends.size() / 2];
    const Ps middle = SaturatingAdd(below, SaturatingSub(above, below) / 2);
    for (const CollectiveCall& call : of) {
      const Ps end = SaturatingSub(call.end, (*clocks)[call.rank].offset);
      distances.emplace_back(
          call.rank, end > middle ? SaturatingSub(end, middle) : SaturatingSub(middle, end));
    }
  }
  std::sort(distances.begin(), distances.end());
  for (size_t i = 0, j = 0; i < distances.size(); i = j) {
    while (j < distances.size() && distances[j].first == distances[i].first) ++j;
    (*clocks)[distances[i].first].residual = distances[i + (j - i - 1) / 2].second;
  }
}

}  // namespace

Ps MedianOf(std::vector<Ps>* values) {
  const auto middle = values->begin() + static_cast<std::ptrdiff_t>((values->size() - 1) / 2);
  std::nth_element(values->begin(), middle, values->end());
  return *middle;
}

std::vector<RankClock> AlignClocks(const CollectiveCalls& calls, size_t ranks) {
  std::vector<RankClock> clocks(ranks);
  Place(Edges(Differences(calls)), &clocks);
  FindResiduals(calls, &clocks);
  return clocks;
}

}  // namespace stepscope
