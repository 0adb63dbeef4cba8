#include "model/analysis/graphs/name_sequence.h"

#include <doctest/doctest.h>

#include <numeric>
#include <vector>

namespace stepscope {
namespace {

using Names = std::vector<uint32_t>;

// A begin, `count` layers, and an end.
Names Layers(size_t count, const Names& layer) {
  Names names = {100};
  for (size_t i = 0; i < count; ++i) names.insert(names.end(), layer.begin(), layer.end());
  names.push_back(200);
  return names;
}

TEST_CASE("A part that lies in the sequence without a gap is found whole, the last time") {
  const NameSequence all(Names{1, 2, 3, 9, 1, 2, 3, 8});
  CHECK(all.LastRun(Names{1, 2, 3}) == 4);
  CHECK(all.LastRun(Names{3, 9}) == 2);
  CHECK(all.LastRun(Names{2, 1}) == kUnmatched);
  CHECK(all.LastRun(Names{}) == kUnmatched);
  CHECK(all.LastRun(Names{1, 2, 3, 9, 1, 2, 3, 8, 8}) == kUnmatched);
  CHECK(NameSequence(Names{5, 5, 5, 5}).LastRun(Names{5, 5}) == 2);
  const NameAlignment found = all.Align(Names{1, 2, 3});
  CHECK(found.matched == 3);
  CHECK(found.to == Names{4, 5, 6});
}

TEST_CASE("An additional, a missing and a different kernel cost only themselves") {
  const Names layer = {1, 2, 3, 4, 3, 5};
  const NameSequence recorded(Layers(36, layer));
  Names more = Layers(36, layer), less = more, other = more;
  more.insert(more.begin() + 50, 77);
  less.erase(less.begin() + 50);
  other[50] = 77;
  const NameAlignment with_more = recorded.Align(more);
  CHECK(with_more.matched == more.size() - 1);
  CHECK(with_more.to[50] == kUnmatched);
  CHECK(with_more.to[51] == 50);
  const NameAlignment with_less = recorded.Align(less);
  CHECK(with_less.matched == less.size());
  CHECK(with_less.to.back() == less.size());
  const NameAlignment with_other = recorded.Align(other);
  CHECK(with_other.matched == other.size() - 1);
  CHECK(with_other.to[51] == 51);
}

TEST_CASE("Places rise for every part") {
  const NameSequence recorded(Layers(10, {1, 2, 3, 4, 3, 5}));
  for (const Names& part : {Names{5, 4, 3, 2, 1}, Names{200, 100, 200, 100}, Names{7, 7, 7},
                            Layers(3, {3, 5, 1, 2}), Names{3}, Names{200, 1}}) {
    const NameAlignment found = recorded.Align(part);
    REQUIRE(found.to.size() == part.size());
    int64_t last = -1;
    size_t matched = 0;
    for (size_t i = 0; i < part.size(); ++i) {
      if (found.to[i] == kUnmatched) continue;
      CHECK(int64_t{found.to[i]} > last);
      CHECK(recorded.names()[found.to[i]] == part[i]);
      last = found.to[i];
      ++matched;
    }
    CHECK(matched == found.matched);
  }
}

TEST_CASE("A part of a long sequence is looked for where it most likely begins") {
  Names all(5000);
  std::iota(all.begin(), all.end(), 0u);
  Names part(all.begin() + 3000, all.begin() + 3100);
  part[40] = 99999;
  const NameAlignment found = NameSequence(all).Align(part);
  CHECK(found.matched == 99);
  CHECK(found.to[0] == 3000);
  CHECK(found.to[99] == 3099);
}

TEST_CASE("Names that repeat and never fit cost a bounded time") {
  const Names same(200'000, 1);
  Names almost = same;
  for (size_t i = 7; i < almost.size(); i += 8) almost[i] = 2;
  CHECK(NameSequence(same).Align(almost).matched < almost.size());
  CHECK(NameSequence(almost).Align(same).matched <= same.size());
}

}  // namespace
}  // namespace stepscope
