#include "model/base/sort_runs.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <utility>
#include <vector>

namespace stepscope {
namespace {

using Items = std::vector<std::pair<int, int>>;  // key, place before sorting

void CheckSortsItems(Items items) {
  const auto by_key = [](const auto& a, const auto& b) { return a.first < b.first; };
  for (size_t i = 0; i < items.size(); ++i) items[i].second = static_cast<int>(i);
  Items expected = items;
  std::stable_sort(expected.begin(), expected.end(), by_key);
  SortRuns(items.begin(), items.end(), by_key);
  CHECK(items == expected);
}

TEST_CASE("sort runs: sorts like a stable sort, whatever the order") {
  std::mt19937 random(7);
  CheckSortsItems({});
  CheckSortsItems({{1, 0}});
  for (const int n : {2, 3, 17, 1000, 4099}) {
    Items ascending, descending, any, equal;
    for (int i = 0; i < n; ++i) {
      ascending.emplace_back(i / 3, 0);
      descending.emplace_back(n - i, 0);
      any.emplace_back(static_cast<int>(random() % 100), 0);
      equal.emplace_back(5, 0);
    }
    CheckSortsItems(ascending);
    CheckSortsItems(descending);
    CheckSortsItems(any);
    CheckSortsItems(equal);
  }
}

TEST_CASE("sort runs: runs of any length that overlap, contain each other or do not touch") {
  std::mt19937 random(8);
  for (int round = 0; round < 200; ++round) {
    Items items;
    const int runs = 1 + static_cast<int>(random() % 12);
    for (int r = 0; r < runs; ++r) {
      int key = static_cast<int>(random() % 500);
      const auto length = 1 + random() % 200;
      for (unsigned i = 0; i < length; ++i)
        items.emplace_back(key += static_cast<int>(random() % 3), 0);
    }
    CheckSortsItems(std::move(items));
  }
}

TEST_CASE("sort runs: a stopped sort still has all items") {
  std::stop_source stop;
  stop.request_stop();
  std::vector<int> items;
  for (int i = 0; i < 10'000; ++i) items.push_back(10'000 - i);
  std::vector<int> stopped = items;
  SortRuns(stopped.begin(), stopped.end(), std::less<>(), stop.get_token());
  CHECK(!std::is_sorted(stopped.begin(), stopped.end()));
  std::sort(stopped.begin(), stopped.end());
  std::sort(items.begin(), items.end());
  CHECK(stopped == items);
}

TEST_CASE("sort runs: the number of comparisons after a stop does not grow with the items") {
  constexpr size_t kMostAfter = 2 * kMergedPerStop + 1024 * 10;  // a merge's stride, a short run
  std::mt19937 random(9);
  std::vector<uint32_t> items(1'000'000);
  for (uint32_t& item : items) item = static_cast<uint32_t>(random());
  size_t whole = 0;
  {
    std::vector<uint32_t> copy = items;
    SortRuns(copy.begin(), copy.end(), [&](uint32_t a, uint32_t b) { return ++whole, a < b; });
    CHECK(std::is_sorted(copy.begin(), copy.end()));
  }
  REQUIRE(whole > 10 * kMostAfter);
  for (const size_t percent : {1, 30, 60, 90, 99}) {
    std::vector<uint32_t> copy = items;
    std::stop_source stop;
    size_t compared = 0;
    const auto less = [&](uint32_t a, uint32_t b) {
      if (++compared == whole / 100 * percent) stop.request_stop();
      return a < b;
    };
    SortRuns(copy.begin(), copy.end(), less, stop.get_token());
    CAPTURE(percent);
    CHECK(compared - whole / 100 * percent <= kMostAfter);
    std::sort(copy.begin(), copy.end());
    std::vector<uint32_t> all = items;
    std::sort(all.begin(), all.end());
    CHECK(copy == all);
  }
}

}  // namespace
namespace {

void CheckSorts(std::vector<int64_t> numbers) {
  std::vector<int64_t> expected = numbers;
  std::sort(expected.begin(), expected.end());
  SortNumbers(&numbers);
  CHECK(numbers == expected);
}

}  // namespace

TEST_CASE("numbers of any spread come out as std::sort has them") {
  std::mt19937_64 random(7);
  for (const size_t n : {0u, 1u, 2u, 2047u, 2048u, 20'000u}) {
    for (const unsigned bits : {1u, 11u, 12u, 33u, 54u, 55u, 56u, 64u}) {
      std::vector<int64_t> numbers(n);
      for (int64_t& v : numbers) v = static_cast<int64_t>(random() >> (64 - bits));
      CAPTURE(n);
      CAPTURE(bits);
      CheckSorts(numbers);
      for (int64_t& v : numbers) v = v / 2 - (int64_t{1} << (bits / 2));  // below zero too
      CheckSorts(numbers);
    }
  }
}

TEST_CASE("the ends of the range and equal numbers") {
  std::vector<int64_t> numbers(5'000, 3);
  CheckSorts(numbers);
  numbers[17] = std::numeric_limits<int64_t>::min();
  numbers[4'000] = std::numeric_limits<int64_t>::max();
  CheckSorts(numbers);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = -static_cast<int64_t>(i % 7);
  CheckSorts(numbers);
}

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
