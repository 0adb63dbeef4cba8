#include "model/base/statistics.h"

#include <doctest/doctest.h>

#include <limits>

namespace stepscope {
namespace {

TEST_CASE("median: the middle of an odd count, the mean of two of an even one, 0 of none") {
  CHECK(Median<double>({3, 1, 2}) == 2);
  CHECK(Median<double>({4, 1, 2, 3}) == 2.5);
  CHECK(Median<double>({7}) == 7);
  CHECK(Median<double>({}) == 0);
  CHECK(Median<int64_t>({}) == 0);
}

TEST_CASE("median: whole numbers go to the lower one, and do not overflow") {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  CHECK(Median<int64_t>({1, 4}) == 2);
  CHECK(Median<int64_t>({-4, -1}) == -3);
  CHECK(Median<int64_t>({kMax, kMax - 2}) == kMax - 1);
  CHECK(Median<int64_t>({kMin, kMax}) == -1);
}

TEST_CASE("lower median: a value that occurs, which a slow half does not raise") {
  CHECK(LowerMedian<double>({100, 1}) == 1);
  CHECK(LowerMedian<int64_t>({4, 1, 3, 2}) == 2);
  CHECK(LowerMedian<int64_t>({3, 1, 2}) == 2);
  CHECK(LowerMedian<int64_t>({}) == 0);
}

TEST_CASE("nearest rank: the least value that so many do not exceed") {
  CHECK(NearestRank(1, 50) == 0);
  CHECK(NearestRank(4, 50) == 1);
  CHECK(NearestRank(5, 50) == 2);
  CHECK(NearestRank(20, 95) == 18);
  CHECK(NearestRank(21, 95) == 19);
  CHECK(NearestRank(100, 99) == 98);
}

}  // namespace
}  // namespace stepscope
