#include "viewer/core/state/view_state.h"

#include <doctest/doctest.h>

#include <random>

namespace stepscope {
namespace {

TEST_CASE("time map: without offset and stretch both axes have the same time") {
  const TimeMap same;
  for (const Ps t : {kMinPs, Ps{-1}, Ps{0}, Ps{1}, (Ps{1} << 53) + 1, kMaxPs}) {
    CHECK(same.ToShared(t) == t);
    CHECK(same.ToTrace(t) == t);
  }
  CHECK(same.ToShared(TimeRange{3, 9}) == TimeRange{3, 9});
}

TEST_CASE("time map: an offset is exact to the picosecond and saturates") {
  TimeMap map;
  map.offset = (Ps{1} << 60) + 7;
  CHECK(map.ToShared(Ps{5}) == map.offset + 5);
  CHECK(map.ToTrace(map.offset + 5) == 5);
  CHECK(map.ToShared(kMaxPs) == kMaxPs);
  CHECK(map.ToTrace(kMinPs) == kMinPs);
}

TEST_CASE("time map: a stretched time comes back exactly") {
  std::mt19937_64 random(1);
  std::uniform_int_distribution<Ps> time(-9'000'000'000'000, 9'000'000'000'000);
  std::uniform_int_distribution<int64_t> part(1, 1'000'000);
  for (int i = 0; i < 2000; ++i) {
    const int64_t a = part(random), b = part(random);
    const TimeMap map{time(random), std::max(a, b), std::min(a, b)};
    const Ps t = time(random), later = t + part(random);
    CAPTURE(map.shared);
    CAPTURE(map.of_own);
    REQUIRE(map.ToTrace(map.ToShared(t)) == t);
    REQUIRE(map.ToShared(later) > map.ToShared(t));
  }
  const TimeMap half{0, 1, 2};
  CHECK(half.ToShared(Ps{10}) == 5);
  CHECK(half.ToShared(Ps{-3}) == -2);  // half away from 0
  CHECK(half.ToTrace(Ps{5}) == 10);
  CHECK(TimeMap{0, 1000, 1}.ToShared(kMaxPs) == kMaxPs);
}

TEST_CASE("time map: an empty range stays empty, and no other becomes empty") {
  const TimeMap map{100, 1, 1000};
  CHECK(map.ToShared(TimeRange{}) == TimeRange{});
  CHECK(map.ToTrace(TimeRange{}) == TimeRange{});
  CHECK(map.ToShared(TimeRange{0, 1}) == TimeRange{100, 101});
  CHECK_FALSE(TimeMap({0, 1000, 1}).ToTrace(TimeRange{100, 101}).empty());
}

}  // namespace
}  // namespace stepscope
