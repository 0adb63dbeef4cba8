#include "viewer/core/state/track_rules.h"

#include <doctest/doctest.h>

#include "tests/viewer/viewer_fixture.h"

namespace stepscope {

TEST_CASE("names of planes and tracks: those that the user gave, else the recorded ones") {
  const auto trace = test::TrainingTrace();
  const PlaneId gpu(1);
  const TrackId stream = trace->planes[gpu.value].tracks[0];
  CHECK(PlaneName({}, *trace, gpu) == "/device:GPU:1");
  CHECK(TrackName({}, *trace, trace->set, stream) == "Stream #14");
  const TrackRules::Names names = {{PlanePath(*trace, gpu), "late one"},
                                   {TrackPath(*trace, trace->set, stream), "compute"}};
  CHECK(PlaneName(names, *trace, gpu) == "late one");
  CHECK(PlaneName(names, *trace, PlaneId(0)) == "/device:GPU:0");
  CHECK(TrackName(names, *trace, trace->set, stream) == "compute");
}

}  // namespace stepscope
