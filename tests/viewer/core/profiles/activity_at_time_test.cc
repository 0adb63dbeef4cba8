#include "viewer/core/profiles/matching_events.h"

#include <doctest/doctest.h>

#include "tests/viewer/viewer_fixture.h"

namespace stepscope {
namespace {

TEST_CASE("events at a time: the innermost slice of each track, devices first, at most a few") {
  test::TraceMaker maker;
  const PlaneId host = maker.Plane("Host threads", PlaneKind::kHostThreads);
  maker.Track(host, "main", TrackKind::kThread, {{"step", 0, 1000}, {"mm", 100, 200}});
  maker.Track(host, "idle", TrackKind::kThread, {{"later", 500, 100}});
  const PlaneId gpu = maker.Plane("GPU 0", PlaneKind::kGpu);
  maker.Track(gpu, "Stream #7", TrackKind::kStream, {{"gemm", 150, 300}, {"copy", 600, 10}});
  Profile profile;
  profile.id = ProfileId(3);
  profile.trace = maker.Finish();
  const auto names = [&](Ps time, size_t most = 8) {
    std::string all;
    for (const ActivityAtTime& then : EventsAt(profile, time, most)) {
      CHECK(then.event.trace == profile.id);
      CHECK(profile.trace->set.Start(then.event.row) <= time);
      all += then.track + ": " + then.name + "; ";
    }
    return all;
  };
  CHECK(names(200) == "GPU 0 \u00b7 Stream #7: gemm; Host threads \u00b7 main: mm; ");
  CHECK(names(200, 1) == "GPU 0 \u00b7 Stream #7: gemm; ");
  CHECK(names(550) == "Host threads \u00b7 main: step; Host threads \u00b7 idle: later; ");
  CHECK(names(5000).empty());
}

}  // namespace
}  // namespace stepscope
