// Tests of tracks and planes that are dragged by their names: where they land, and which commands
// follow.
#include "viewer/timeline/layout/track_drag.h"

#include <doctest/doctest.h>

#include "tests/viewer/timeline/layout/layout_support.h"
#include "tests/viewer/viewer_fixture.h"
#include "viewer/core/state/settings.h"
#include "viewer/core/state/track_rules.h"

using namespace stepscope;        // NOLINT
using namespace stepscope::test;  // NOLINT

namespace {

std::shared_ptr<const Trace> TwoDevices() {
  TraceMaker maker;
  for (const char* name : {"GPU 0", "GPU 1"}) {
    const PlaneId plane = maker.Plane(name, PlaneKind::kGpu);
    for (const char* track : {"a", "b", "c", "d"})
      maker.Track(plane, track, TrackKind::kStream, {{"k", 0, kPsPerMs}});
  }
  return maker.Finish();
}

std::string NameOf(const std::vector<Profile>& profiles, const LayoutItem& item) {
  const Trace& trace = *profiles[0].trace;
  if (item.kind == LayoutItemKind::kPlaneHeading)
    return trace.planes[item.plane.value].display_name;
  return std::string(trace.names().strings.View(trace.set.tracks[item.track.value].name));
}

std::string Names(const std::vector<Profile>& profiles, const Layout& layout,
                  const std::vector<size_t>& items) {
  std::string out;
  for (const size_t i : items) out += NameOf(profiles, layout.items()[i]) + " ";
  return out;
}

std::vector<std::string> Shown(const std::vector<Profile>& profiles, const Layout& layout) {
  std::vector<std::string> out;
  for (const LayoutItem& item : layout.items()) out.push_back(NameOf(profiles, item));
  return out;
}

}  // namespace

TEST_CASE("track drag: a track lands among those of its plane, a plane among planes") {
  const std::vector<Profile> profiles = {{ProfileId(0), "run", TwoDevices(), {}}};
  const Layout layout = LayoutOf(profiles);
  CHECK(Names(profiles, layout, NeighboursOf(layout, 2)) == "a b c d ");
  CHECK(Names(profiles, layout, NeighboursOf(layout, 5)) == "GPU 0 GPU 1 ");
  const auto landing = [&](size_t item, double y) {
    const auto found = LandingAt(layout, {}, item, y);
    return found ? Names(profiles, layout, found->order) : std::string("stays");
  };
  const auto y_of = [&](size_t i) { return layout.items()[i].y; };
  CHECK(landing(1, y_of(3) + 15) == "b c a ");
  CHECK(landing(1, y_of(3) + 2) == "b a ");
  CHECK(landing(1, y_of(2) + 2) == "stays");
  CHECK(landing(1, y_of(1) + 5) == "stays");
  CHECK(landing(4, 0) == "d ");
  CHECK(landing(4, 1e9) == "stays");
  CHECK(landing(1, 1e9) == "b c d a ");  // never in another plane
  CHECK(landing(5, 0) == "GPU 1 ");
  CHECK(landing(0, 1e9) == "GPU 1 GPU 0 ");
  // The line lies where it will be.
  CHECK(LandingAt(layout, {}, 1, y_of(3) + 2)->y == y_of(3));
}

TEST_CASE("track drag: pinned tracks change places with each other, where they are drawn") {
  const auto trace = TwoDevices();
  const std::vector<Profile> profiles = {{ProfileId(0), "run", trace, {}}};
  TrackRules rules;
  rules.pinned = {TrackPath(*trace, trace->set, TrackId(5)),
                  TrackPath(*trace, trace->set, TrackId(2))};
  const Layout layout = LayoutOf(profiles, rules);
  CHECK(Names(profiles, layout, NeighboursOf(layout, 0)) == "b c ");
  CHECK(Names(profiles, layout, NeighboursOf(layout, 3)) == "a b d ");
  const StickyItems sticky = layout.Sticky(30);
  REQUIRE(sticky.size() == 3);  // both pins and the heading
  CHECK_FALSE(LandingAt(layout, sticky, 0, 30));
  REQUIRE(LandingAt(layout, sticky, 0, 30 + 35));
  CHECK(LandingAt(layout, sticky, 0, 30 + 35)->order == std::vector<size_t>{1, 0});
}

TEST_CASE("track drag: a name that is dragged moves its track; Escape takes it back") {
  ViewerFixture app;
  const auto trace = TwoDevices();
  app.Open(trace);
  const std::vector<Profile> profiles = {{ProfileId(0), "run", trace, {}}};
  const auto shown = [&] {
    return Shown(profiles, LayoutOf(profiles, app.viewer->settings().tracks));
  };
  const std::vector<std::string> before = shown();
  const TrackRules::Paths folded = app.viewer->view().profiles.front().collapsed;
  // The rows begin at the canvas of the texels; names lie to the left of it.
  const float x = app.canvas().x - 100, top = app.canvas().y;
  const auto y_of = [&](size_t i) {
    return top + static_cast<float>(LayoutOf(profiles).items()[i].y) + 9;
  };
  ImGuiIO& io = ImGui::GetIO();
  app.MoveTo(x, y_of(1));
  io.AddMouseButtonEvent(0, true);
  app.Frame();
  app.MoveTo(x, y_of(3));
  app.MoveTo(x, y_of(3) + 8);
  app.Key(ImGuiKey_Escape);
  io.AddMouseButtonEvent(0, false);
  app.Frame(2);
  CHECK(shown() == before);

  app.Push("select.event", [] {
    CommandArgs args;
    args.event = {ProfileId(0), 0, EventRow(0)};
    return args;
  }());
  app.Drag(x, y_of(1), x, y_of(3) + 8);
  CHECK(shown() ==
        std::vector<std::string>{"GPU 0", "b", "c", "a", "d", "GPU 1", "a", "b", "c", "d"});
  CHECK(app.viewer->view().selected.valid());
  CHECK(app.viewer->view().profiles.front().collapsed == folded);  // it was no click
  app.Drag(x, y_of(5), x, top + 2);
  CHECK(shown().front() == "GPU 1");
}
