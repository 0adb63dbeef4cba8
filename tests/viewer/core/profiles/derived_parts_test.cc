#include "viewer/core/profiles/derived_parts.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "loaders/loader.h"
#include "model/analysis/analysis.h"
#include "model/analysis/derived_tracks/device_tracks.h"
#include "tests/support/tpu_profile.h"

namespace stepscope {

TEST_CASE("Arrows of TPU cores lead to asynchronous work and to the op that awaits it") {
  test::TpuProfileOptions options;
  options.async_line = true;
  const auto trace = LoadBytes("vm.xplane.pb", test::MakeTpuProfile(options), {});
  REQUIRE(trace.ok());
  REQUIRE(HasDerivedParts(**trace));
  AnalysisContext context(*trace, Definitions::kStepscope);
  const DerivedParts parts = Derive(context);
  REQUIRE(parts.flows != nullptr);
  REQUIRE(parts.sets.size() == 2);  // how busy each core is
  for (const auto& set : parts.sets) {
    REQUIRE(set->tracks.size() == 1);
    CHECK(DerivedTrackKindOf(set->tracks.front()) == DerivedTrackKind::kUtilisation);
  }
  size_t works = 0;
  for (const Track& track : (*trace)->set.tracks) {
    if (track.kind != TrackKind::kAsyncXlaOps) continue;
    for (const Lane& lane : (*trace)->set.LanesOf(track)) {
      for (uint32_t i = 0; i < lane.size(); ++i, ++works) {
        const EventRow work(lane.first_row + i);
        const auto started = parts.flows->To(work), awaited = parts.flows->From(work);
        REQUIRE(started.size() == 1);
        REQUIRE(awaited.size() == 1);
        CHECK((*trace)->set.Start(EventRow(started[0].from)) == lane.start[i]);
        const EventRow done(awaited[0].to);
        CHECK((*trace)->set.Start(done) + (*trace)->set.Duration(done) == lane.end(i));
      }
    }
  }
  CHECK(works == 36);
}

}  // namespace stepscope
