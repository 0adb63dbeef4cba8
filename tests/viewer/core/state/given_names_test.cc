#include "viewer/core/state/given_names.h"

#include <doctest/doctest.h>

#include "tests/viewer/viewer_fixture.h"
#include "viewer/core/state/track_path.h"
#include "viewer/core/state/track_rules.h"

namespace stepscope {

TEST_CASE("given names: those of the user, else the recorded ones, as settings change") {
  const auto trace = testing::TrainingTrace();
  const PlaneId gpu(1);
  const TrackId stream = trace->planes[gpu.value].tracks[0];
  Settings settings;
  GivenNames names;
  CHECK_FALSE(names.Update(settings));
  CHECK(names.OfPlane(*trace, gpu) == "/device:GPU:1");
  CHECK(names.OfTrack(*trace, trace->set, stream) == "Stream #14");
  const GivenNames none = names;
  TrackRules rules;
  rules.names[PlanePath(*trace, gpu)] = "late one";
  rules.names[TrackPath(*trace, trace->set, stream)] = "compute";
  settings.Set("timeline.tracks", ToText(rules));
  CHECK(names.Update(settings));
  CHECK_FALSE(names.Update(settings));
  CHECK(names.OfPlane(*trace, gpu) == "late one");
  CHECK(names.OfPlane(*trace, PlaneId(0)) == "/device:GPU:0");
  CHECK(names.OfTrack(*trace, trace->set, stream) == "compute");
  CHECK_FALSE(names == none);
  settings.Set("timeline.tracks", "");
  CHECK(names.Update(settings));
  CHECK(names.OfPlane(*trace, gpu) == "/device:GPU:1");
  CHECK(names == none);
}

}  // namespace stepscope
