// NameRank: how long an event is among those of its name.
#include "model/query/event_stats.h"
#include "tests/support/loaded.h"

#include <doctest/doctest.h>

#include <numeric>

#include "tests/support/stopped_job.h"
#include "tests/support/xspace_builder.h"

using namespace stepscope;  // NOLINT

namespace {

std::shared_ptr<const Trace> Kernels() {
  test::XSpaceBuilder space;
  auto& plane = space.Plane("/device:GPU:0").Id(0);
  auto& first = plane.Line(1, "Stream #1(Compute)");
  for (int i = 0; i < 10; ++i) first.Event("conv", i * 100'000, 1000 * (i + 1));
  plane.Line(2, "Stream #2(Compute)").Event("conv", 0, 500).Event("other", 10'000, 1);
  return test::Loaded("h.xplane.pb", space.Bytes());
}

EventRow RowOf(const TrackSet& set, std::string_view name, Ps duration) {
  for (uint32_t row = 0; row < set.rows; ++row) {
    if (set.Name(EventRow(row)) == name && set.Duration(EventRow(row)) == duration)
      return EventRow(row);
  }
  return {};
}

}  // namespace

TEST_CASE("the rank of an event counts all events of its name, on all tracks, and no others") {
  const auto trace = Kernels();
  const NameRank rank = RankByName(trace->set, RowOf(trace->set, "conv", 3000));
  CHECK(rank.count == 11);
  CHECK(rank.shorter == 3);
  CHECK(rank.longer == 7);
  CHECK(rank.total == 55'500);
  const auto& counts = rank.histogram.counts;
  CHECK(std::accumulate(counts.begin(), counts.end(), uint64_t{0}) == 11);
  CHECK(counts[DurationHistogram::BinOf(500)] == 1);
  const NameRank alone = RankByName(trace->set, RowOf(trace->set, "other", 1));
  CHECK(alone.count == 1);
  CHECK(alone.shorter + alone.longer == 0);
}

TEST_CASE("ranking stops when told to") {
  const auto trace = Kernels();
  CHECK_THROWS_AS(
      test::RunStopped([&] { RankByName(trace->set, RowOf(trace->set, "conv", 3000)); }), Stopped);
}
