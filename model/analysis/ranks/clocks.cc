#include "model/analysis/ranks/clocks.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "model/base/number_hash.h"
#include "model/base/statistics.h"

namespace stepscope {
namespace {

// The median difference between the clocks of two ranks, from all collectives of one kind.
struct Edge {
  uint32_t a, b;
  bool together;  // all participants of such a collective end at once
  size_t count;
  Ps ps;
};

// Two ranks, and whether their collectives end together.
using Pair = std::tuple<uint32_t, uint32_t, bool>;
struct HashOfPair {
  size_t operator()(const Pair& pair) const {
    const auto& [a, b, together] = pair;
    return HashOf({a, b, together});
  }
};

// The ends of collectives on rank b minus those on rank a.
using Differences = std::unordered_map<Pair, std::vector<Ps>, HashOfPair>;

Differences DifferencesOf(const CollectiveCalls& calls) {
  Differences found;
  for (const PairedCollective& c : calls.paired) {
    const auto of = calls.Of(c);
    const bool together = EndsTogether(calls.names[of.front().name].kind);
    for (size_t i = 1; i < of.size(); ++i)
      found[{of[0].rank, of[i].rank, together}].push_back(SaturatingSub(of[i].end, of[0].end));
  }
  return found;
}

// The edges, the surest first: collectives that end together, then those with many differences.
std::vector<Edge> Edges(Differences* all) {
  std::vector<Edge> edges;
  for (auto& [pair, values] : *all) {
    const auto& [a, b, together] = pair;
    edges.push_back({a, b, together, values.size(), LowerMedian(values)});
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
  std::vector<std::vector<Ps>> distances(clocks->size());  // by rank
  std::vector<Ps> ends;
  for (const PairedCollective& c : calls.paired) {
    const auto of = calls.Of(c);
    if (of.size() < 2 || !EndsTogether(calls.names[of.front().name].kind)) continue;
    ends.clear();
    for (const CollectiveCall& call : of)
      ends.push_back(SaturatingSub(call.end, (*clocks)[call.rank].offset));
    const Ps middle = Median(ends);
    for (const CollectiveCall& call : of) {
      const Ps end = SaturatingSub(call.end, (*clocks)[call.rank].offset);
      distances[call.rank].push_back(end > middle ? SaturatingSub(end, middle)
                                                  : SaturatingSub(middle, end));
    }
  }
  for (size_t rank = 0; rank < distances.size(); ++rank) {
    if (!distances[rank].empty()) (*clocks)[rank].residual = Median(distances[rank]);
  }
}

}  // namespace

std::vector<RankClock> AlignClocks(const CollectiveCalls& calls, size_t ranks) {
  std::vector<RankClock> clocks(ranks);
  Differences differences = DifferencesOf(calls);
  Place(Edges(&differences), &clocks);
  FindResiduals(calls, &clocks);
  return clocks;
}

}  // namespace stepscope
