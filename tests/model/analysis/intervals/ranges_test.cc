#include "model/analysis/intervals/ranges.h"

#include <doctest/doctest.h>

namespace stepscope {

TEST_CASE("ranges: a union is sorted, and intervals that touch are one") {
  CHECK(UnionOf({{20, 30}, {0, 10}, {10, 15}, {25, 28}, {40, 50}}) ==
        Ranges{{0, 15}, {20, 30}, {40, 50}});
  CHECK(Union({{0, 10}, {20, 30}}, {{5, 21}}) == Ranges{{0, 30}});
  CHECK(UnionOf({}).empty());
}

TEST_CASE("ranges: the length of a union and the time in both of two") {
  const Ranges a{{0, 10}, {20, 30}, {40, 50}}, b{{5, 25}, {45, 60}};
  CHECK(LengthOf(a) == 30);
  CHECK(Overlap(a, b) == 5 + 5 + 5);
  CHECK(Overlap(b, a) == Overlap(a, b));
  CHECK(Overlap(a, {}) == 0);
}

}  // namespace stepscope
