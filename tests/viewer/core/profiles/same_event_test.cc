#include "viewer/core/profiles/matching_events.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/viewer/viewer_fixture.h"

namespace stepscope {
namespace {

using test::SimpleEvent;

std::shared_ptr<const Trace> Threads(const std::vector<SimpleEvent>& a,
                                     const std::vector<SimpleEvent>& b) {
  test::TraceMaker maker;
  const PlaneId host = maker.Plane("Host threads", PlaneKind::kHostThreads);
  maker.Track(host, "a", TrackKind::kThread, a);
  maker.Track(host, "b", TrackKind::kThread, b);
  return maker.Finish();
}

TEST_CASE("An event is found again by its track, begin, length and name, else not at all") {
  const auto part = Threads({{"x", 0, 9}, {"y", 0, 5}}, {{"x", 0, 9}});
  const auto whole = Threads({{"x", 0, 9}, {"y", 0, 5}, {"x", 20, 9}}, {{"w", 30, 1}, {"x", 0, 9}});
  for (uint32_t row = 0; row < part->set.rows; ++row) {
    const EventRow same = SameEvent(*part, EventRow(row), *whole);
    REQUIRE(same.valid());
    CHECK(whole->set.Name(same) == part->set.Name(EventRow(row)));
    CHECK(whole->set.Start(same) == part->set.Start(EventRow(row)));
    CHECK(whole->set.Duration(same) == part->set.Duration(EventRow(row)));
    CHECK(whole->set.TrackOf(same) == part->set.TrackOf(EventRow(row)));
  }
  const auto other = Threads({{"x", 0, 8}, {"z", 1, 5}}, {{"x", 1, 9}});
  for (uint32_t row = 0; row < part->set.rows; ++row)
    CHECK_FALSE(SameEvent(*part, EventRow(row), *other).valid());
  CHECK_FALSE(SameEvent(*part, EventRow(), *whole).valid());
  CHECK_FALSE(SameEvent(*part, EventRow(99), *whole).valid());
}

}  // namespace
}  // namespace stepscope
