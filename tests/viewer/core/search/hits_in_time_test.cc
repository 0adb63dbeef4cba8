// Hits by time, against a sorted list of them.
#include "viewer/core/search/highlight.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <tuple>

#include "tests/viewer/viewer_fixture.h"

using namespace stepscope;        // NOLINT
using namespace stepscope::test;  // NOLINT

namespace {

// Two profiles with the same trace, and some of their events found.
struct Found {
  explicit Found(uint32_t one_of) {
    std::mt19937 random(one_of);
    for (const uint16_t id : {uint16_t{3}, uint16_t{8}}) {
      Profile& profile = profiles.emplace_back();
      profile.id = ProfileId(id);
      profile.trace = TrainingTrace();
      std::vector<uint32_t> rows;
      for (uint32_t row = 0; row < profile.trace->set.rows; ++row)
        if (random() % one_of == 0) rows.push_back(row);
      for (const uint32_t row : rows) sorted.push_back({profile.id, 0, EventRow(row)});
      hits.push_back(RowsOf(profile.id, 0, std::move(rows)));
    }
    std::stable_sort(sorted.begin(), sorted.end(),
                     [&](const EventRef& a, const EventRef& b) { return Start(a) < Start(b); });
  }
  Ps Start(const EventRef& event) const {
    return profiles[event.trace == ProfileId(3) ? 0 : 1].Set(event.set).Start(event.row);
  }

  std::vector<Profile> profiles;
  std::vector<Highlight::Rows> hits;
  std::vector<EventRef> sorted;
};

}  // namespace

TEST_CASE("hits follow each other by time through all profiles and start again at the end") {
  for (const uint32_t one_of : {1u, 3u, 40u}) {
    const Found found(one_of);
    const HitsInTime hits(found.hits, found.profiles);
    REQUIRE(hits.size() == found.sorted.size());
    REQUIRE(hits.size() > 3);
    for (size_t i = 0; i < found.sorted.size(); ++i) {
      const EventRef next = found.sorted[(i + 1) % found.sorted.size()];
      REQUIRE(hits.Before(found.sorted[i]) == i);
      REQUIRE(hits.Next(found.sorted[i], 1) == next);
      REQUIRE(hits.Next(next, -1) == found.sorted[i]);
    }
    CHECK(hits.Next({}, 1) == found.sorted.front());
    CHECK(hits.Next({}, -1) == found.sorted.back());
  }
}

TEST_CASE("from an event that is no hit, the next hit begins with it or later") {
  const Found found(40);
  const HitsInTime hits(found.hits, found.profiles);
  const TrackSet& set = found.profiles[0].trace->set;
  size_t others = 0;
  for (uint32_t row = 0; row < set.rows; row += 7) {
    const EventRef from{ProfileId(3), 0, EventRow(row)};
    if (std::find(found.sorted.begin(), found.sorted.end(), from) != found.sorted.end()) continue;
    ++others;
    const auto later = std::partition_point(
        found.sorted.begin(), found.sorted.end(),
        [&](const EventRef& hit) { return found.Start(hit) < found.Start(from); });
    const bool end = later == found.sorted.end(), begin = later == found.sorted.begin();
    REQUIRE(hits.Next(from, 1) == (end ? found.sorted.front() : *later));
    REQUIRE(hits.Next(from, -1) == (begin ? found.sorted.back() : *std::prev(later)));
  }
  CHECK(others > 10);
}

TEST_CASE("the earliest hits begin first, and there are no more than asked for") {
  const Found found(3);
  const HitsInTime hits(found.hits, found.profiles);
  for (const size_t most : {size_t{0}, size_t{1}, size_t{10}, found.sorted.size() / 2,
                            found.sorted.size(), found.sorted.size() + 5}) {
    std::vector<EventRef> earliest = hits.Earliest(most);
    REQUIRE(earliest.size() == std::min(most, found.sorted.size()));
    Ps latest = kMinPs;
    for (const EventRef& hit : earliest) latest = std::max(latest, found.Start(hit));
    for (size_t i = earliest.size(); i < found.sorted.size(); ++i)
      REQUIRE(found.Start(found.sorted[i]) >= latest);
    const auto key = [](const EventRef& e) { return std::tuple(e.trace.value, e.row.value); };
    std::sort(earliest.begin(), earliest.end(),
              [&](const EventRef& a, const EventRef& b) { return key(a) < key(b); });
    CHECK(std::adjacent_find(earliest.begin(), earliest.end()) == earliest.end());
  }
}

TEST_CASE("without hits, or with hits of closed profiles only, there is no next hit") {
  const Found found(1);
  CHECK_FALSE(HitsInTime({}, found.profiles).Next({}, 1).valid());
  const HitsInTime gone(found.hits, {});
  CHECK(gone.size() == 0);
  CHECK_FALSE(gone.Next(found.sorted.front(), -1).valid());
  CHECK(gone.Earliest(5).empty());
}
