#include "viewer/core/ran_then.h"

#include <doctest/doctest.h>

#include "tests/viewer/viewer_fixture.h"

namespace stepscope {
namespace {

TEST_CASE("What ran then: of each track the innermost slice, devices first, a few at most") {
  testing::TraceMaker maker;
  const PlaneId host = maker.Plane("Host threads", PlaneKind::kHostThreads);
  maker.Track(host, "main", TrackKind::kThread, {{"step", 0, 1000}, {"mm", 100, 200}});
  maker.Track(host, "idle", TrackKind::kThread, {{"later", 500, 100}});
  const PlaneId gpu = maker.Plane("GPU 0", PlaneKind::kGpu);
  maker.Track(gpu, "Stream #7", TrackKind::kStream, {{"gemm", 150, 300}, {"copy", 600, 10}});
  Run run;
  run.id = TraceId(3);
  run.trace = maker.Finish();
  const auto names = [&](Ps time, size_t most = 8) {
    std::string all;
    for (const RanThen& then : EventsAt(run, time, most)) {
      CHECK(then.event.trace == run.id);
      CHECK(run.trace->set.Start(then.event.row) <= time);
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
