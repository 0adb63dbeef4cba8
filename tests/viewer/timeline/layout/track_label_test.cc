#include "viewer/timeline/layout/layout.h"

#include <doctest/doctest.h>

#include "tests/viewer/viewer_fixture.h"
#include "viewer/widgets/draw_text.h"

using namespace stepscope;        // NOLINT
using namespace stepscope::test;  // NOLINT

namespace {

TrackLabel Of(const std::string& name, int64_t id = 0, bool derived = false) {
  TraceMaker maker;
  const TrackId track =
      maker.Track(maker.Plane("p", PlaneKind::kGpu), name, TrackKind::kThread, {{"e", 0, 1}});
  const auto trace = maker.Finish();
  Track copy = trace->set.tracks[track.value];
  copy.id = id;
  return LabelOf(trace->set, copy, derived);
}

}  // namespace

TEST_CASE("a track's label is what it is, its number stands apart") {
  CHECK(Of("Stream #14(Compute)").name == "Compute");
  CHECK(Of("Stream #14(Compute)").tag == "#14");
  CHECK(Of("thread 25286 (python3)").name == "python3");
  CHECK(Of("thread 25286 (python3)").tag == "25286");
  CHECK(Of("Framework Ops - from #20").name == "Framework Ops");
  CHECK(Of("Framework Ops - from #20").tag == "#20");
  CHECK(Of("python3", 2417).tag == "2417");
  CHECK(Of("worker 2417", 2417).tag.empty());
  CHECK(Of("Steps", 1, true).tag.empty());
  CHECK(Of("Stream #7").name == "Stream #7");
  CHECK(Of("Stream #x(y)").name == "Stream #x(y)");
  CHECK(Of("").name == "(unnamed)");
}

TEST_CASE("thread ids that are hashes keep their last digits") {
  const TrackLabel label = Of("tf_Compute/5978051375012957241", 5978051375012957241);
  CHECK(label.name == "tf_Compute");
  CHECK(label.tag == "\u20267241");
  CHECK(Of("tf_numa_-1_Eigen/-5978051375012957448").name == "tf_numa_-1_Eigen");
  CHECK(Of("python", -4948093907068406536).tag == "\u20266536");
}

TEST_CASE("zeros that say nothing go, digits that do stay") {
  CHECK(WithoutZeros("95.0000 us") == "95 us");
  CHECK(WithoutZeros("6.04000 us") == "6.04 us");
  CHECK(WithoutZeros("100 ms") == "100 ms");
  CHECK(WithoutZeros("0.5") == "0.5");
}
