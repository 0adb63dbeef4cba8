// The tracks whose activity stands beside the name of a plane.
#include "viewer/timeline/slices/plan_area.h"

#include <doctest/doctest.h>

#include "tests/support/kineto_text.h"
#include "tests/support/loaded.h"

namespace stepscope {

TEST_CASE("A host's wait for a device is no activity of the device") {
  const auto tracks = [](bool kernel) {
    test::KinetoText t;
    t.Raw(R"({"ph":"M","name":"process_labels","pid":0,"args":{"labels":"GPU 0"}})");
    t.Launch(1, 0, 5).Device("cuda_sync", "Context Sync", 1, 10, 900);
    if (kernel) t.Kernel("gemm", 1, 10, 50);
    const auto trace = test::Loaded("t.json", t.Text(test::kH100));
    for (uint32_t p = 0; p < trace->planes.size(); ++p) {
      if (trace->planes[p].kind == PlaneKind::kGpu) return ActivityTracks(*trace, PlaneId(p));
    }
    FAIL("no GPU");
    return std::vector<TrackId>();
  };
  CHECK(tracks(false).empty());
  CHECK(tracks(true).size() == 1);
}

}  // namespace stepscope
