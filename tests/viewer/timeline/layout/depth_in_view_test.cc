#include "viewer/timeline/layout/layout.h"

#include <doctest/doctest.h>

#include "tests/viewer/timeline/layout/layout_support.h"
#include "tests/viewer/viewer_fixture.h"

using namespace stepscope;        // NOLINT
using namespace stepscope::test;  // NOLINT

namespace {

// A thread three deep in [0, 100), one deep in [200, 300); another one two deep in [200, 300).
struct Depths {
  Depths() {
    TraceMaker maker;
    const PlaneId host = maker.Plane("Host", PlaneKind::kHostThreads);
    maker.Track(host, "a", TrackKind::kThread,
                {{"f", 0, 100}, {"g", 10, 50}, {"h", 20, 10}, {"f", 200, 100}});
    maker.Track(host, "b", TrackKind::kThread, {{"f", 200, 100}, {"g", 210, 50}});
    profiles.push_back({ProfileId(0), "run", maker.Finish(), {}});
    layout = LayoutOf(profiles);
    depth.Reset(layout.items());
  }
  // Rows of the two threads after a frame that shows the range.
  std::pair<uint32_t, uint32_t> Show(TimeRange range, bool settled) {
    const std::vector<TimeRange> ranges = {range};
    changed = depth.Update({profiles, ranges, layout, 0, layout.items().size(), settled});
    layout.SetRows(depth.rows());
    return {layout.items()[1].rows, layout.items()[2].rows};
  }
  using Rows = std::pair<uint32_t, uint32_t>;
  std::vector<Profile> profiles;
  Layout layout;
  DepthInView depth;
  bool changed = false;
};

}  // namespace

TEST_CASE("tracks have the rows that the events in view need") {
  Depths d;
  CHECK(d.Show({0, 300}, true) == Depths::Rows{3, 2});
  CHECK(d.Show({0, 100}, true) == Depths::Rows{3, 1});
  CHECK(d.Show({200, 300}, true) == Depths::Rows{1, 2});
  CHECK(d.Show({110, 190}, true) == Depths::Rows{1, 1});  // nothing in view: the first row stays
  CHECK(d.Show({25, 26}, true) == Depths::Rows{3, 1});
}

TEST_CASE("while the view moves tracks grow at once and do not shrink") {
  Depths d;
  CHECK(d.Show({200, 300}, true) == Depths::Rows{1, 2});
  CHECK(d.Show({90, 250}, false) == Depths::Rows{1, 2});
  CHECK(d.Show({30, 190}, false) == Depths::Rows{2, 2});
  CHECK(d.Show({10, 170}, false) == Depths::Rows{3, 2});
  CHECK(d.Show({110, 190}, false) == Depths::Rows{3, 2});
  CHECK_FALSE(d.changed);
  CHECK(d.Show({110, 190}, true) == Depths::Rows{1, 1});  // the gesture has ended
  CHECK(d.changed);
  CHECK(d.Show({110, 190}, true) == Depths::Rows{1, 1});
  CHECK_FALSE(d.changed);
}

TEST_CASE("of many deep tracks those in sight are looked at, the others keep their rows") {
  TraceMaker maker;
  const PlaneId host = maker.Plane("Host", PlaneKind::kHostThreads);
  for (int i = 0; i < 1000; ++i)
    maker.Track(host, "t", TrackKind::kThread, {{"f", 0, 100}, {"g", 10, 50}, {"f", 200, 100}});
  const std::vector<Profile> profiles = {{ProfileId(0), "run", maker.Finish(), {}}};
  Layout layout = LayoutOf(profiles);
  DepthInView depth;
  depth.Reset(layout.items());
  const std::vector<TimeRange> ranges = {{200, 300}};
  CHECK(depth.Update({profiles, ranges, layout, 10, 20, true}));
  layout.SetRows(depth.rows());
  CHECK(layout.items()[9].rows == 2);
  CHECK(layout.items()[10].rows == 1);
  CHECK(layout.items()[19].rows == 1);
  CHECK(layout.items()[20].rows == 2);
}
