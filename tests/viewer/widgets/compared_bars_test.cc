#include "viewer/widgets/bars.h"

#include <doctest/doctest.h>

#include "tests/viewer/panel_fixture.h"
#include "tests/viewer/viewer_fixture.h"

namespace stepscope {
namespace {

Profile ProfileOf(uint32_t id, const std::vector<Ps>& durations) {
  test::TraceMaker maker;
  std::vector<test::SimpleEvent> events;
  Ps at = 0;
  for (const Ps duration : durations) {
    events.push_back({"kernel", at, duration});
    at += duration;
  }
  maker.Track(maker.Plane("/device:GPU:0", PlaneKind::kGpu), "Stream #1", TrackKind::kStream,
              events);
  Profile profile;
  profile.id = ProfileId(id);
  profile.trace = maker.Finish();
  return profile;
}

RowLink AllOf(const Profile& profile) {
  std::vector<EventRow> rows;
  for (uint32_t i = 0; i < profile.trace->set.rows; ++i) rows.emplace_back(i);
  return LinkTo(EventRows(std::move(rows)));
}

TEST_CASE("durations of two profiles are counted by the same bins") {
  const Profile a = ProfileOf(0, {kPsPerUs, kPsPerUs, 2 * kPsPerUs}),
                b = ProfileOf(1, {2 * kPsPerUs});
  const ComparedDurations d = CompareDurations(a, AllOf(a), b, AllOf(b));
  CHECK(d.count_a == 3);
  CHECK(d.count_b == 1);
  CHECK(d.a.counts[DurationHistogram::BinOf(kPsPerUs)] == 2);
  CHECK(d.a.counts[DurationHistogram::BinOf(2 * kPsPerUs)] == 1);
  CHECK(d.b.counts[DurationHistogram::BinOf(2 * kPsPerUs)] == 1);
}

TEST_CASE("links beyond the profile count nothing") {
  const Profile a = ProfileOf(0, {kPsPerUs});
  RowLink link = LinkTo(EventRows(std::vector<EventRow>{EventRow(9)}));
  CHECK(CompareDurations(a, link, a, {}).count_a == 0);
  link.total = 1000;
  CHECK(CompareDurations(a, link, a, {}).all_a == 1000);
  link.set = 7;
  CHECK(CompareDurations(a, link, a, {}).count_a == 0);
}

TEST_CASE("bars of one profile alone and of both are drawn") {
  const Profile a = ProfileOf(0, {kPsPerUs, 3 * kPsPerUs}), b = ProfileOf(1, {2 * kPsPerUs});
  PanelFixture f;
  for (const ComparedDurations& d :
       {CompareDurations(a, AllOf(a), b, {}), CompareDurations(a, AllOf(a), b, AllOf(b))}) {
    int vertices = 0;
    f.Frame([&](const PanelContext& c) {
      DrawComparedBars(c, d, {300, 80});
      vertices = ImGui::GetWindowDrawList()->VtxBuffer.Size;
    });
    CHECK(vertices > 0);
  }
}

}  // namespace
}  // namespace stepscope
