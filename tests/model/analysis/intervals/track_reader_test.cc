// Compares TrackReader with the set's own look-ups, on a track with several lanes between others.
#include "model/analysis/intervals/track_reader.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>

#include "loaders/loader.h"
#include "model/analysis/intervals/event_order.h"
#include "tests/support/gpu_profile.h"

namespace stepscope {
namespace {

TEST_CASE("TrackReader: gives the columns of each row of each track, in any order") {
  test::GpuProfileOptions options;
  options.steps = 3;
  const auto loaded = LoadBytes("h.xplane.pb", test::MakeGpuProfile(options), {});
  REQUIRE(loaded.ok());
  const std::shared_ptr<const Trace> trace = *loaded;
  size_t most_lanes = 0;
  for (const Track& track : trace->set.tracks)
    most_lanes = std::max<size_t>(most_lanes, track.lane_count);
  REQUIRE(most_lanes > 2);
  size_t read = 0, wrong = 0;
  for (const Track& track : trace->set.tracks) {
    const TrackReader reader(trace->set, track);
    const RowRange rows = RowsOf(trace->set, track);
    for (uint32_t row = rows.end(); row-- > rows.first; ++read) {
      const TrackReader::Event event = reader.Of(row);
      wrong += event.start != trace->set.Start(EventRow(row)) ||
               event.dur != trace->set.Duration(EventRow(row)) ||
               event.meta != trace->set.Meta(EventRow(row)).value ||
               event.end() != event.start + event.dur;
    }
  }
  CHECK(read == trace->set.rows);
  CHECK(wrong == 0);
}

}  // namespace
}  // namespace stepscope
