#include "model/base/heap_merge.h"

#include <doctest/doctest.h>

#include <random>
#include <vector>

namespace stepscope {
namespace {

struct Head {
  int value = 0;
  size_t list = 0, index = 0;
  bool operator<(const Head& o) const { return value != o.value ? value < o.value : list < o.list; }
};

using Lists = std::vector<std::vector<int>>;

// The first `most` values in the order in which they are visited.
std::vector<Head> Merged(const Lists& lists, size_t most) {
  std::vector<Head> heads, visited;
  for (size_t i = 0; i < lists.size(); ++i) {
    if (!lists[i].empty()) heads.push_back({lists[i][0], i, 0});
  }
  HeapMerge(std::move(heads), [&](Head& head) {
    visited.push_back(head);
    if (visited.size() == most) return MergeStep::kStop;
    if (++head.index == lists[head.list].size()) return MergeStep::kEnd;
    head.value = lists[head.list][head.index];
    return MergeStep::kMore;
  });
  return visited;
}

TEST_CASE("lists of any number and length are merged in order, equal values by list") {
  std::mt19937 random(1);
  for (size_t count = 0; count < 12; ++count) {
    Lists lists(count);
    std::vector<Head> expected;
    for (size_t i = 0; i < count; ++i) {
      const size_t size = random() % 40;
      for (size_t k = 0; k < size; ++k) lists[i].push_back(static_cast<int>(random() % 30));
      std::sort(lists[i].begin(), lists[i].end());
      for (size_t k = 0; k < size; ++k) expected.push_back({lists[i][k], i, k});
    }
    std::stable_sort(expected.begin(), expected.end());
    const std::vector<Head> merged = Merged(lists, expected.size() + 1);
    REQUIRE(merged.size() == expected.size());
    for (size_t k = 0; k < merged.size(); ++k) {
      CHECK(merged[k].value == expected[k].value);
      CHECK(merged[k].list == expected[k].list);
      CHECK(merged[k].index == expected[k].index);
    }
  }
}

TEST_CASE("a merge that is stopped visits no more") {
  CHECK(Merged({{1, 3, 5}, {2, 4, 6}}, 3).size() == 3);
  CHECK(Merged({{1, 3, 5}}, 1).size() == 1);
}

TEST_CASE("a merge of runs names the head that ends a run") {
  const Lists lists{{1, 2, 3, 9}, {4, 5}, {5, 6}};
  std::vector<Head> heads;
  for (size_t i = 0; i < lists.size(); ++i) heads.push_back({lists[i][0], i, 0});
  std::vector<std::vector<int>> runs;
  HeapMergeRuns(std::move(heads), [&](Head& head, const Head* next) {
    std::vector<int>& run = runs.emplace_back();
    do {
      run.push_back(head.value);
      if (++head.index == lists[head.list].size()) return MergeStep::kEnd;
      head.value = lists[head.list][head.index];
    } while (next == nullptr || !(*next < head));
    return MergeStep::kMore;
  });
  CHECK(runs == std::vector<std::vector<int>>{{1, 2, 3}, {4, 5}, {5, 6}, {9}});
}

}  // namespace
}  // namespace stepscope
