// Tests of several profiles with rows of their own: where they lie, what they share, and what
// each has alone.
#include "viewer/timeline/timeline_split_view.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string_view>

#include "loaders/loader.h"
#include "model/analysis/analysis.h"
#include "tests/support/kineto_text.h"
#include "tests/viewer/viewer_fixture.h"
#include "viewer/core/state/settings.h"

using namespace stepscope;        // NOLINT
using namespace stepscope::test;  // NOLINT

namespace {

constexpr Ps kLater = 5 * kPsPerMs;  // the second profile begins so much later by its own clock

// 40 threads with two steps each; the last has an event of its own.
std::shared_ptr<const Trace> Threads(Ps begin) {
  TraceMaker maker;
  const PlaneId plane = maker.Plane("Host threads", PlaneKind::kHostThreads);
  for (int i = 0; i < 40; ++i) {
    std::vector<SimpleEvent> events = {{"train 0", begin, 5 * kPsPerMs},
                                       {"train 1", begin + 5 * kPsPerMs, 5 * kPsPerMs}};
    if (i == 39) events.push_back({"last", begin + 1 * kPsPerMs, 2 * kPsPerMs});
    maker.Track(plane, "thread " + std::to_string(i), TrackKind::kThread, events);
  }
  return maker.Finish();
}

struct TwoAreas : ViewerFixture {
  explicit TwoAreas(const char* layout = "left and right") : ViewerFixture(ImVec2(1600, 900)) {
    Open(Threads(0));
    Open(Threads(kLater));
    Push("track.only_selected", Of(first));  // all tracks
    Push("track.only_selected", Of(second));
    Push("compare.align_begin");
    CommandArgs args;
    args.text = layout;
    Push("compare.layout", args);
    Frame(4);
    WaitIdle();
  }
  static CommandArgs Of(ProfileId profile, double pixels = 0) {
    CommandArgs args;
    args.profile = profile;
    args.pixels = pixels;
    return args;
  }
  const TexelFrame& rows(size_t area) const { return sink.frames[2 + 2 * area]; }
  // A place in the rows of an area, by its share of them.
  float X(size_t area, float share) const {
    return std::floor(rows(area).x + static_cast<float>(rows(area).width) * share);
  }
  float Y(size_t area, float share = 0.5f) const {
    return std::floor(rows(area).y + static_cast<float>(rows(area).lines.size()) * share);
  }
  double Scroll(ProfileId profile) const { return viewer->view().Find(profile)->scroll_y; }
  TimeRange VisibleIn(ProfileId profile) const { return viewer->view().VisibleIn(profile); }
  ProfileId first{0}, second{1};
};

size_t CountOf(std::string_view text, std::string_view what) {
  size_t n = 0;
  for (size_t at = 0; (at = text.find(what, at)) != std::string_view::npos; at += what.size()) ++n;
  return n;
}

}  // namespace

TEST_CASE("areas: whole pixels, one beside the other, a pixel between them, up to the edge") {
  const Box all{7, 11, 1000, 601};
  for (const ProfileLayout layout : {ProfileLayout::kAbove, ProfileLayout::kBeside}) {
    for (size_t n = 1; n <= kMostSplitViews; ++n) {
      const std::vector<Box> boxes = BoxesOfAreas(all, n, layout, 46);
      REQUIRE(boxes.size() == n);
      const bool beside = layout == ProfileLayout::kBeside;
      float at = beside ? all.x : all.y;
      for (const Box& box : boxes) {
        CHECK((beside ? box.x : box.y) == at);
        CHECK((beside ? box.y : box.x) == (beside ? all.y : all.x));
        CHECK((beside ? box.h : box.w) == (beside ? all.h : all.w));
        CHECK(box.w == std::floor(box.w));
        CHECK(box.h == std::floor(box.h));
        at = (beside ? box.right() : box.bottom()) + 1;
      }
      CHECK(at - 1 == (beside ? all.right() : all.bottom()));
    }
  }
  const std::vector<Box> above = BoxesOfAreas(all, 2, ProfileLayout::kAbove, 46);
  CHECK(std::abs(above[0].h - 46 - above[1].h) <= 1);  // the same height of rows
  for (const Box& box : BoxesOfAreas({0, 0, 2, 2}, 4, ProfileLayout::kBeside, 46))
    CHECK(box.w >= 0);
}

TEST_CASE("areas: only of as many runs as have room, and of several") {
  Settings settings;
  CHECK(LayoutOfProfiles(settings, 2) == ProfileLayout::kList);
  settings.profile_layout = ProfileLayout::kBeside;
  CHECK(LayoutOfProfiles(settings, 1) == ProfileLayout::kList);
  CHECK(LayoutOfProfiles(settings, 2) == ProfileLayout::kBeside);
  CHECK(LayoutOfProfiles(settings, 4) == ProfileLayout::kBeside);
  CHECK(LayoutOfProfiles(settings, 5) == ProfileLayout::kList);
}

TEST_CASE("areas: a key goes from the list to above, to beside, and back; settings keep it") {
  TwoAreas f("one list");
  const auto layout = [&] { return f.viewer->settings().profile_layout; };
  f.Key(ImGuiKey_V);
  CHECK(layout() == ProfileLayout::kAbove);
  f.Frame(2);
  CHECK(f.rows(0).x == f.rows(1).x);
  CHECK(f.rows(0).y < f.rows(1).y);
  f.Key(ImGuiKey_V);
  CHECK(layout() == ProfileLayout::kBeside);
  f.Frame(2);
  CHECK(f.rows(0).y == f.rows(1).y);
  CHECK(f.rows(0).x + static_cast<float>(f.rows(0).width) < f.rows(1).x);
  f.Key(ImGuiKey_V);
  CHECK(layout() == ProfileLayout::kList);
}

TEST_CASE("areas: to zoom in one is to zoom in the other, by the same times after their begins") {
  for (const char* layout : {"left and right", "above and below"}) {
    CAPTURE(layout);
    TwoAreas f(layout);
    const TimeRange before = f.VisibleIn(f.first);
    CHECK(f.VisibleIn(f.second).begin == before.begin + kLater);
    // The mouse is over the second profile, which is not active. The time is the second
    // profile's.
    REQUIRE(f.viewer->view().active == f.first);
    const auto at = [&](ProfileId profile) {
      const TimeRange range = f.VisibleIn(profile);
      return static_cast<double>(range.begin) + 0.25 * static_cast<double>(range.length());
    };
    const double kept = at(f.second);
    f.Wheel(f.X(1, 0.25f), f.Y(1), 3, ImGuiMod_Ctrl);
    const TimeRange first = f.VisibleIn(f.first), second = f.VisibleIn(f.second);
    CHECK(second.length() < before.length() * 6 / 10);
    CHECK(at(f.second) == doctest::Approx(kept).epsilon(0.01));
    CHECK(first.begin == second.begin - kLater);
    CHECK(first.length() == second.length());
    CHECK(f.viewer->view().active == f.first);  // the wheel chooses no profile

    // A drag in the first area does the same.
    f.Drag(f.X(0, 0.5f), f.Y(0), f.X(0, 0.75f), f.Y(0));
    CHECK(f.VisibleIn(f.second).begin == f.VisibleIn(f.first).begin + kLater);
    CHECK(f.VisibleIn(f.second).begin < second.begin);
  }
}

TEST_CASE("areas: each scrolls by itself, by the wheel over it and by keys when it is active") {
  TwoAreas f;
  f.Wheel(f.X(1, 0.5f), f.Y(1), -2);
  const double scrolled = f.Scroll(f.second);
  CHECK(scrolled > 0);
  CHECK(f.Scroll(f.first) == 0);
  CHECK(f.viewer->view().scroll_y == 0);
  f.Push("view.page_down");
  CHECK(f.Scroll(f.first) > 0);
  CHECK(f.Scroll(f.second) == scrolled);
  f.Push("view.scroll", TwoAreas::Of(f.second, 1e9));
  const double most = f.Scroll(f.second);
  CHECK(most < 40 * 40);
  f.Push("view.scroll", TwoAreas::Of(f.second, -10));
  CHECK(f.Scroll(f.second) == most - 10);  // it did not go on below the last track
  f.Push("view.back");
  CHECK(f.Scroll(f.second) < most);
}

TEST_CASE("areas: a press makes its run the active one, a click selects there") {
  TwoAreas f;
  f.Click(f.X(1, 0.3f), f.Y(1, 0.5f));
  CHECK(f.viewer->view().active == f.second);
  f.Click(f.X(0, 0.3f), f.Y(0, 0.8f));
  CHECK(f.viewer->view().active == f.first);
  bool selected = false;  // it may be a gap between tracks
  for (float y = f.Y(1); y < f.Y(1) + 22 && !selected; y += 4) {
    f.Click(f.X(1, 0.3f), y);
    selected = f.viewer->view().selected.valid();
  }
  CHECK(f.viewer->view().selected.trace == f.second);
}

TEST_CASE("areas: what is the same in the other run comes into sight when an event is selected") {
  TwoAreas f;
  REQUIRE(f.viewer->SelectByName("last"));
  f.Frame(4);
  f.WaitIdle();
  REQUIRE(f.viewer->view().selected.trace == f.first);
  CHECK(f.Scroll(f.first) > 0);
  CHECK(f.Scroll(f.second) > 0);
}

TEST_CASE("areas: the time under the mouse is the active run's, in whichever area it is") {
  ViewState view;
  ProfileViewState a, b;
  a.profile = ProfileId(0);
  b.profile = ProfileId(1);
  b.map.offset = -kLater;
  view.profiles = {a, b};
  CHECK(view.Translate(a.profile, b.profile, 3) == 3 + kLater);
  CHECK(view.Translate(b.profile, a.profile, 3 + kLater) == 3);
  CHECK(view.Translate(a.profile, a.profile, 3) == 3);
  CHECK(view.Translate(a.profile, ProfileId(7), 3) == 3);

  TwoAreas f;
  f.MoveTo(f.X(1, 0.4f), f.Y(1));
  f.Push("mark.add");  // marks in the active profile, the first
  const auto& markers = f.viewer->view().Find(f.first)->markers;
  REQUIRE(markers.size() == 1);
  const TimeRange visible = f.VisibleIn(f.first);
  const double share = static_cast<double>(markers[0].range.begin - visible.begin) /
                       static_cast<double>(visible.length());
  CHECK(share == doctest::Approx(0.4).epsilon(0.01));
}

// Three steps of so many us, with a kernel each.
std::shared_ptr<const Trace> Steps(double us) {
  test::KinetoText text;
  for (int i = 0; i < 3; ++i) {
    const double t = us * i;
    text.Host("user_annotation", "ProfilerStep#" + std::to_string(i), t, us);
    text.Host("cpu_op", "aten::mm", t + 10, us / 2).Launch(i + 1, t + 20, 5);
    text.Kernel("gemm", i + 1, t + 30, us - 60);
  }
  return LoadBytes("t.json", text.Text(), {}).value();
}

TEST_CASE("one list: the strip has the steps of both compared profiles, each of its own") {
  ViewerFixture f;
  f.Open(Steps(1000));
  f.Open(Steps(5000));
  for (Profile& profile : f.session.profiles)
    profile.analysis = std::make_shared<AnalysisContext>(profile.trace, Definitions::kStepscope);
  ++f.session.generation;
  f.Frame(4);
  f.WaitIdle();
  const auto click = [&](float right, float above_rows) {
    f.Push("view.zoom_all");
    f.Frame(2);
    f.Click(f.canvas().x + right, f.canvas().y - above_rows);
    f.Frame(2);
    return f.visible().length();
  };
  CHECK(click(200, 31) == 1100 * kPsPerUs);  // A: a step of 1 ms with some margin
  CHECK(click(700, 11) == 5500 * kPsPerUs);  // B: 5 ms, the second step
}

TEST_CASE("areas: a vector picture has all of them, with ids of their own") {
  for (const char* layout : {"left and right", "above and below"}) {
    TwoAreas f(layout);
    const std::string svg = f.viewer->TimelineSvg();
    CHECK(CountOf(svg, "<svg ") == 3);
    CHECK(CountOf(svg, "</svg>") == 3);
    CHECK(CountOf(svg, "<clipPath id=\"r0-d1\"") == 1);
    CHECK(CountOf(svg, "<clipPath id=\"r1-d1\"") == 1);
    CHECK(CountOf(svg, "url(#d") == 0);
    CHECK(CountOf(svg, "url(#r1-d1)") > 0);
  }
}

TEST_CASE("areas: what is closed takes its area with it; one run has all of the window") {
  TwoAreas f;
  const TexelFrame half = f.rows(0);
  f.session.profiles.pop_back();
  ++f.session.generation;
  f.Frame(4);
  f.WaitIdle();
  CHECK(f.canvas().width > half.width * 3 / 2);
  f.Wheel(f.canvas().x + 50, f.canvas().y + 50, -2);
  CHECK(f.viewer->view().scroll_y > 0);
  f.Open(Threads(kLater));
  f.Frame(4);
  CHECK(f.viewer->settings().profile_layout == ProfileLayout::kBeside);
  CHECK(f.rows(0).width < f.canvas().width);
}
