#include "viewer/timeline/layout/layout.h"
#include "viewer/core/state/track_rules.h"

#include <doctest/doctest.h>

#include <set>

#include "tests/support/growth.h"
#include "tests/viewer/timeline/layout/layout_support.h"
#include "tests/viewer/viewer_fixture.h"

using namespace stepscope;        // NOLINT
using namespace stepscope::test;  // NOLINT

namespace {

Layout Build(const std::vector<Profile>& profiles, const TrackRules::Paths& folded,
             const std::string& host = {}) {
  TrackRules rules;
  rules.folded = folded;
  return LayoutOf(profiles, rules, host);
}

size_t Count(const Layout& layout, LayoutItemKind kind) {
  size_t n = 0;
  for (const LayoutItem& item : layout.items()) n += item.kind == kind ? 1u : 0u;
  return n;
}

}  // namespace

TEST_CASE("layout: planes with next to nothing beside others begin folded") {
  TraceMaker maker;
  const PlaneId gpu = maker.Plane("/device:GPU:0", PlaneKind::kGpu);
  maker.Track(gpu, "stream", TrackKind::kStream, {{"kernel", 0, 10}});
  std::vector<SimpleEvent> many;
  for (Ps i = 0; i < 400; ++i) many.push_back({"op", i * 10, 5});
  maker.Track(maker.Plane("python", PlaneKind::kHostThreads), "main", TrackKind::kThread, many);
  const PlaneId spans = maker.Plane("Spans", PlaneKind::kHostThreads);
  maker.Track(spans, "PyTorch Profiler", TrackKind::kThread, {{"span", 0, 4000}});
  const PlaneId few = maker.Plane("helper", PlaneKind::kHostThreads);
  maker.Track(few, "t", TrackKind::kThread, {{"a", 0, 1}, {"a", 1, 1}, {"a", 2, 1}, {"a", 3, 1}});
  const auto trace = maker.Finish();
  CHECK(FoldedAtFirst(*trace) ==
        TrackRules::Paths{PlanePath(*trace, spans), DerivedTracksPath(*trace, gpu)});
  const auto training = TrainingTrace();
  CHECK(FoldedAtFirst(*training) == TrackRules::Paths{DerivedTracksPath(*training, PlaneId(0)),
                                                      DerivedTracksPath(*training, PlaneId(1))});
}

TEST_CASE("planes are headings over their tracks, items follow each other without overlap") {
  const std::vector<Profile> profiles = {{ProfileId(0), "run", TrainingTrace(), {}}};
  const Layout layout = Build(profiles, {});
  CHECK(Count(layout, LayoutItemKind::kPlaneHeading) == 3);
  CHECK(Count(layout, LayoutItemKind::kTrack) == 5);
  CHECK(Count(layout, LayoutItemKind::kHostHeading) == 0);
  double y = 0;
  for (const LayoutItem& item : layout.items()) {
    CHECK(item.y >= y);
    y = item.y + static_cast<double>(item.height);
  }
  CHECK(layout.height() >= y);
}

TEST_CASE("a folded plane keeps its heading only, a folded track its first row") {
  const std::vector<Profile> profiles = {{ProfileId(0), "run", TrainingTrace(), {}}};
  const Trace& trace = *profiles[0].trace;
  const Layout folded = Build(profiles, {PlanePath(trace, PlaneId(0))});
  CHECK(Count(folded, LayoutItemKind::kTrack) == 3);
  CHECK(folded.Find(0, 0, trace.planes[0].tracks[0]) == Layout::npos);
  const TrackId python = trace.planes[2].tracks[0];
  const Layout thread = Build(profiles, {TrackPath(trace, trace.set, python)});
  const size_t index = thread.Find(0, 0, python);
  REQUIRE(index != Layout::npos);
  CHECK(thread.items()[index].rows == 1);
  CHECK(thread.items()[index].collapsed);
}

TEST_CASE("hosts are headings when there are several, and can be filtered") {
  TraceMaker maker(2);
  for (int host = 0; host < 2; ++host) {
    const PlaneId plane = maker.Plane("GPU", PlaneKind::kGpu, host);
    maker.Track(plane, "Stream", TrackKind::kStream, {{"k", 0, 10}});
  }
  const std::vector<Profile> profiles = {{ProfileId(0), "run", maker.Finish(), {}}};
  CHECK(Count(Build(profiles, {}), LayoutItemKind::kHostHeading) == 2);
  CHECK(Count(Build(profiles, {}, "host-1"), LayoutItemKind::kPlaneHeading) == 1);
  CHECK(Count(Build(profiles, {}, "no such host"), LayoutItemKind::kPlaneHeading) == 0);
}

TEST_CASE("counters and empty planes") {
  TraceMaker maker;
  maker.Plane("empty", PlaneKind::kHostOther);
  const PlaneId plane = maker.Plane("memory", PlaneKind::kHostOther);
  maker.Counter(plane, "bytes", {1, 5, 2});
  maker.Track(plane, "work", TrackKind::kThread, {{"k", 0, 10}});
  const std::vector<Profile> profiles = {{ProfileId(0), "run", maker.Finish(), {}}};
  const Layout layout = Build(profiles, {});
  CHECK(Count(layout, LayoutItemKind::kPlaneHeading) == 1);
  CHECK(Count(layout, LayoutItemKind::kCounter) == 1);
}

TEST_CASE("the visible part is found by height; the gap belongs to the row above") {
  const std::vector<Profile> profiles = {{ProfileId(0), "run", TrainingTrace(), {}}};
  const Layout layout = Build(profiles, {});
  for (size_t i = 0; i < layout.items().size(); ++i) {
    const LayoutItem& item = layout.items()[i];
    CHECK(layout.At(item.y) == i);
    CHECK(layout.At(item.y + static_cast<double>(item.height)) == i);
  }
  CHECK(layout.At(-1) == layout.items().size());
  CHECK(layout.At(layout.height() + 1) == layout.items().size());
  const auto [first, last] = layout.Visible(0, 60);
  CHECK(first == 0);
  CHECK(last < layout.items().size());
  const auto none = layout.Visible(1e9, 2e9);
  CHECK(none.first == none.second);
}

TEST_CASE("a hundred thousand tracks: a frame looks at those in sight") {
  size_t seen = 0;
  const auto seconds = [&](size_t tracks) {
    TraceMaker maker;
    const PlaneId plane = maker.Plane("threads", PlaneKind::kHostThreads);
    for (size_t i = 0; i < tracks; ++i) {
      maker.Track(plane, "t" + std::to_string(i % 100), TrackKind::kThread,
                  {{"k", static_cast<int64_t>(i), 10}});
    }
    const std::vector<Profile> profiles = {{ProfileId(0), "run", maker.Finish(), {}}};
    const Layout layout = Build(profiles, {});
    REQUIRE(layout.items().size() == tracks + 1);
    seen = 0;
    return test::CpuSeconds([&] {
      for (int i = 0; i < 10'000; ++i) {
        const auto [first, last] = layout.Visible(i * 10.0, i * 10.0 + 600);
        seen += last - first;
      }
    });
  };
  CHECK(test::GrowthOfFour(25'000, seconds) < 2.5);
  CHECK(seen < 10'000 * 40);
}

TEST_CASE("layout: a track takes the rows it is given, what is below moves") {
  const std::vector<Profile> profiles = {{ProfileId(0), "run", TrainingTrace(), {}}};
  Layout layout = Build(profiles, {});
  const TrackId python = profiles[0].trace->planes[2].tracks[0];
  const size_t at = layout.Find(0, 0, python);
  REQUIRE(layout.items()[at].depth == 3);
  REQUIRE(layout.items()[at].rows == 3);
  const double height = layout.height(), y = layout.items()[at].y;
  std::vector<uint32_t> rows(layout.items().size(), 1);
  layout.SetRows(rows);
  CHECK(layout.items()[at].rows == 1);
  CHECK(layout.items()[at].y == y);
  CHECK(layout.height() == height - 2 * 19);
  rows[at] = 99;  // never more than it has
  layout.SetRows(rows);
  CHECK(layout.height() == height);
  CHECK(layout.Find(0, 0, python) == at);
}

TEST_CASE("layout: the heading of a plane stays at the top, and the next one pushes it out") {
  const std::vector<Profile> profiles = {{ProfileId(0), "run", TrainingTrace(), {}}};
  const Layout layout = Build(profiles, {});
  std::vector<size_t> headings;
  for (size_t i = 0; i < layout.items().size(); ++i) {
    if (layout.items()[i].kind == LayoutItemKind::kPlaneHeading) headings.push_back(i);
  }
  REQUIRE(headings.size() == 3);
  CHECK(layout.Sticky(0).empty());  // it is in its place
  const StickyItems stuck = layout.Sticky(10);
  REQUIRE(stuck.size() == 1);
  CHECK(stuck[0].item == headings[0]);
  CHECK(stuck[0].y == 10);
  const LayoutItem& next = layout.items()[headings[1]];
  const StickyItems pushed = layout.Sticky(next.y - 5);
  REQUIRE(pushed.size() == 1);
  CHECK(pushed[0].item == headings[0]);
  CHECK(pushed[0].y == next.y - 22);
  CHECK(layout.Sticky(next.y).empty());
  CHECK(layout.Sticky(next.y + 1).front().item == headings[1]);
  const Layout folded = Build(profiles, {PlanePath(*profiles[0].trace, PlaneId(0))});
  CHECK(folded.Sticky(10).empty());
  CHECK(Layout().Sticky(0).empty());
}

TEST_CASE("layout: headings of runs and hosts stay at the top too, above that of the plane") {
  TraceMaker maker(2);
  for (int host = 0; host < 2; ++host) {
    const PlaneId plane = maker.Plane("Host threads", PlaneKind::kHostThreads, host);
    for (int i = 0; i < 10; ++i)
      maker.Track(plane, "t" + std::to_string(i), TrackKind::kThread, {{"a", 0, 10}});
  }
  const auto trace = maker.Finish();
  const Layout layout = Build({{ProfileId(0), "a", trace, {}}, {ProfileId(1), "b", trace, {}}}, {});
  const auto kinds = [&](double scroll) {
    std::string text;
    double below = scroll;
    for (const StickyItem& heading : layout.Sticky(scroll)) {
      const LayoutItem& item = layout.items()[heading.item];
      text += item.kind == LayoutItemKind::kProfileHeading ? "run"
              : item.kind == LayoutItemKind::kHostHeading  ? " host"
                                                           : " plane";
      text += std::to_string(item.kind == LayoutItemKind::kProfileHeading ? item.profile
                                                                          : item.host.value);
      CHECK(heading.y <= below);
      CHECK(heading.y > item.y);
      below = heading.y + static_cast<double>(item.height);
    }
    return text;
  };
  const auto y_of = [&](uint32_t profile, LayoutItemKind kind, size_t nth) {
    for (const LayoutItem& item : layout.items()) {
      if (item.profile == profile && item.kind == kind && nth-- == 0) return item.y;
    }
    return -1.0;
  };
  CHECK(kinds(0).empty());
  CHECK(kinds(1) == "run0");  // the others are in their places
  CHECK(kinds(10) == "run0 host0 plane0");
  CHECK(kinds(150) == "run0 host0 plane0");
  // The next host's heading pushes the headings of host and plane out, below that of the profile.
  const double second = y_of(0, LayoutItemKind::kHostHeading, 1);
  CHECK(kinds(second - 70) == "run0 host0 plane0");
  CHECK(kinds(second - 30) == "run0 host0");
  CHECK(kinds(second - 22) == "run0");
  CHECK(kinds(second) == "run0 host1 plane1");
  // The next profile pushes all of them out.
  const double other = y_of(1, LayoutItemKind::kProfileHeading, 0);
  CHECK(kinds(other - 10) == "run0");
  CHECK(layout.Sticky(other - 10)[0].y == other - 22);
  CHECK(kinds(other).empty());
  CHECK(kinds(other + 150) == "run1 host0 plane0");
}

TEST_CASE("layout: the name of a tall track stays in sight while the track is") {
  LayoutItem item;
  item.y = 100;
  item.height = 190;
  CHECK(TextTop(item, 50, 19) == 100);
  CHECK(TextTop(item, 150, 19) == 150);
  CHECK(TextTop(item, 280, 19) == 271);  // its last row
  CHECK(TextTop(item, 400, 19) == 271);
}

TEST_CASE(
    "layout: what is pinned stays at the top as far as there is room, the next run pushes it") {
  TraceMaker maker;
  const PlaneId plane = maker.Plane("Host threads", PlaneKind::kHostThreads);
  for (int i = 0; i < 20; ++i)
    maker.Track(plane, "t" + std::to_string(i), TrackKind::kThread, {{"a", 0, 10}});
  const auto trace = maker.Finish();
  TrackRules rules;
  rules.pinned = {TrackPath(*trace, trace->set, TrackId(7)),
                  TrackPath(*trace, trace->set, TrackId(3))};
  const Layout one = LayoutOf({{ProfileId(0), "a", trace, {}}}, rules);
  REQUIRE(one.items()[0].track == TrackId(7));
  REQUIRE(one.items()[0].apart);
  CHECK(one.Sticky(0).empty());  // they are in their places
  const StickyItems stuck = one.Sticky(100);
  REQUIRE(stuck.size() == 3);  // and the plane's heading below them
  CHECK(stuck[0].y == 100);
  CHECK(stuck[1].y == 100 + one.items()[1].y);
  CHECK(one.items()[stuck[2].item].kind == LayoutItemKind::kPlaneHeading);
  CHECK(stuck[2].y == stuck[1].y + 19);
  const StickyItems few = one.Sticky(100, 30);  // room for one of them
  REQUIRE(few.size() == 2);
  CHECK(few[0].item == 0);
  CHECK(one.items()[few[1].item].kind == LayoutItemKind::kPlaneHeading);

  const Layout two =
      LayoutOf({{ProfileId(0), "a", trace, {}}, {ProfileId(1), "b", trace, {}}}, rules);
  const size_t other = two.items().size() / 2;
  REQUIRE(two.items()[other].kind == LayoutItemKind::kProfileHeading);
  const StickyItems pushed = two.Sticky(two.items()[other].y - 30);
  REQUIRE(pushed.size() >= 3);  // heading of the profile and two pins, as one
  CHECK(pushed[2].y + 19 == two.items()[other].y);
  CHECK(pushed[1].y - pushed[0].y == two.items()[1].y);
  CHECK(two.Sticky(two.items()[other].y + 100)[1].item == other + 1);
}

TEST_CASE("layout: a pinned plane stays at the top with its tracks, and is not there twice") {
  TraceMaker maker;
  const PlaneId gpu = maker.Plane("GPU", PlaneKind::kGpu);
  for (int i = 0; i < 6; ++i)
    maker.Track(gpu, "s" + std::to_string(i), TrackKind::kStream, {{"a", 0, 10}});
  const PlaneId host = maker.Plane("Host", PlaneKind::kHostThreads);
  for (int i = 0; i < 20; ++i)
    maker.Track(host, "t" + std::to_string(i), TrackKind::kThread, {{"a", 0, 10}});
  const auto trace = maker.Finish();
  TrackRules rules;
  rules.pinned = {PlanePath(*trace, gpu)};
  const Layout layout = LayoutOf({{ProfileId(0), "a", trace, {}}}, rules);
  CHECK(layout.Sticky(300).size() == 8);  // GPU, its streams, and the heading of the host
  for (const double room : {0.0, 20.0, 60.0, 500.0}) {
    for (double scroll = 0; scroll < layout.height() - 200; scroll += 7) {
      double below = scroll;
      std::set<size_t> seen;
      for (const StickyItem& item : layout.Sticky(scroll, room)) {
        CHECK(seen.insert(item.item).second);
        CHECK(item.y >= below - 22);
        below = item.y;
      }
    }
  }
}
