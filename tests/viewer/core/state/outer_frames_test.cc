// Python frames that last as long as the recording are one row of the timeline.
#include "viewer/core/state/track_rules.h"

#include <doctest/doctest.h>

#include "tests/support/loaded.h"
#include "tests/viewer/timeline/layout/layout_support.h"
#include "tests/viewer/viewer_fixture.h"
#include "viewer/timeline/layout/layout.h"

using namespace stepscope;        // NOLINT
using namespace stepscope::test;  // NOLINT

namespace {

// A thread in `frames` frames of 100 us, each 1 us inside the one before, with an op in the middle.
std::shared_ptr<const Trace> Thread(int frames, int shorter = 0) {
  std::string text = "[";
  for (int i = 0; i < frames; ++i) {
    const int dur = 100 - 2 * i - (i == frames - 1 ? shorter : 0);
    text += R"({"ph":"X","cat":"python_function","pid":1,"tid":1,"name":"frame )" +
            std::to_string(i) + R"(","ts":)" + std::to_string(i) + R"(,"dur":)" +
            std::to_string(dur) + "},";
  }
  text += R"({"ph":"X","cat":"cpu_op","pid":1,"tid":1,"name":"op","ts":40,"dur":5},)";
  text += R"({"ph":"X","cat":"cpu_op","pid":1,"tid":2,"name":"op","ts":40,"dur":5}])";
  return test::Loaded("thread.json", text);
}

const Track& First(const Trace& trace) { return trace.set.tracks.front(); }

const LayoutItem& ItemOf(const std::vector<LayoutItem>& items, TrackId track) {
  for (const LayoutItem& item : items) {
    if (!IsHeading(item.kind) && item.track == track) return item;
  }
  FAIL("the track is not laid out");
  return items.front();
}

}  // namespace

TEST_CASE("outer frames: those that are open for most of the trace and alone on their row") {
  CHECK(OuterFrames(*Thread(4), First(*Thread(4))) == 4);
  CHECK(OuterFrames(*Thread(4, 50), First(*Thread(4, 50))) == 3);  // the last takes 44 of 100 us
  CHECK(OuterFrames(*Thread(1), First(*Thread(1))) == 0);          // one row saves none
  const auto trace = Thread(4);
  CHECK(OuterFrames(*trace, trace->set.tracks.back()) == 0);
}

TEST_CASE("outer frames: begin as one row, and what is inside moves up") {
  const auto trace = Thread(4);
  const std::string path = OuterFramesPath(*trace, trace->set, TrackId(0));
  CHECK(FoldedAtFirst(*trace).contains(path));
  const std::vector<Profile> profiles{{ProfileId(0), "run", trace, {}}};
  TrackRules rules;
  const LayoutItem all = ItemOf(Arranged(profiles, rules), TrackId(0));
  CHECK(all.frames == 4);
  CHECK_FALSE(all.frames_in_one);
  CHECK(all.depth == 5);
  rules.folded = {path};
  const LayoutItem one = ItemOf(Arranged(profiles, rules), TrackId(0));
  CHECK(one.frames == 4);
  CHECK(one.frames_in_one);
  CHECK(one.depth == 2);
  CHECK(FramesPathOf(profiles[0], one) == path);
  const TrackSet& set = trace->set;
  const std::span<const Lane> lanes = set.LanesOf(set.tracks[0]);
  CHECK(LaneAt(set, one, 0) == &lanes[3]);  // the innermost frame
  CHECK(LaneAt(set, one, 1) == &lanes[4]);
  CHECK(RowsFor(set, one, trace->span) == 2);
  CHECK(RowsFor(set, one, {trace->span.begin, trace->span.begin + kPsPerUs}) == 1);
  for (uint32_t depth = 0; depth < 4; ++depth)
    CHECK(DepthOf(set, one, EventRow(lanes[depth].first_row)) == 0u);
  CHECK(DepthOf(set, one, EventRow(lanes[4].first_row)) == 1u);
}

TEST_CASE("outer frames: a click below the thread's name shows each in its own row, and again") {
  ViewerFixture f({1200, 800});
  f.Open(Thread(4));
  f.Frame(4);
  const auto folded = [&] { return f.viewer->view().profiles[0].collapsed.size(); };
  REQUIRE(folded() == 1);
  const uint32_t rows = f.canvas().rows;
  const float x = 120;  // beside the rows
  const auto row_of = [&](float rows_down) {
    return f.canvas().y + 22 + 3 + 19 * rows_down + 9;  // below the heading of the plane
  };
  f.Click(x, row_of(1));
  f.Frame(3);
  CHECK(folded() == 0);
  CHECK(f.canvas().rows == rows + 3);
  f.Click(x, row_of(1));
  f.Frame(3);
  CHECK(folded() == 1);
  CHECK(f.canvas().rows == rows);
}
