// Tests of the model and the interaction, without a window and without Dear ImGui: what the mouse
// does, and what the timeline shows then.
#include "viewer/timeline/interaction/timeline_interaction.h"

#include <doctest/doctest.h>

#include <chrono>
#include <thread>

#include "model/analysis/grouping/flow_index.h"
#include "tests/viewer/viewer_fixture.h"
#include "viewer/core/state/settings.h"
#include "viewer/core/state/track_rules.h"

using namespace stepscope;        // NOLINT
using namespace stepscope::test;  // NOLINT

namespace {

constexpr float kFont = 14;

// A timeline of 1240 by 500 pixels whose canvas begins at x = 228, y = 91 and is 1000 pixels wide.
struct Timeline {
  explicit Timeline(std::shared_ptr<const Trace> trace, float height = 500)
      : geometry(TimelineGeometry::Make({0, 0, 1240, height}, 1, 228)) {
    profiles.push_back({ProfileId(0), "run", std::move(trace), {}});
    state.profile = ProfileId(0);
    view.visible = profiles[0].trace->span;
    view.active = ProfileId(0);
    names.SetTheme(MakeTheme(ThemeKind::kDark));
    Frame();
  }

  // Draws, does what the mouse asks for, and returns the ids of its commands.
  std::vector<std::string> Frame() {
    view.profiles = {state};
    const TimelineFrame frame{.profiles = profiles,
                              .view = view,
                              .settings = settings,
                              .hits = hits,
                              .names = names,
                              .jobs = jobs,
                              .content_generation = 1,
                              .geometry = geometry,
                              .seconds = 0.016,
                              .animate = animate,
                              .direct = interaction.direct(),
                              .gesture = interaction.gesture(),
                              .anchor_y = anchor_y,
                              .hovered = interaction.lit()};
    model.Update(frame, &commands);
    interaction.Update(frame, model, mouse, kFont, &commands);
    mouse.pressed = mouse.double_clicked = mouse.right_clicked = false;
    mouse.wheel = mouse.sideways = 0;
    std::vector<std::string> out;
    while (const std::optional<Command> popped = commands.Pop()) {
      const Command& command = *popped;
      out.push_back(command.id.text());
      last = command;
      if (command.id == "view.set_range") view.visible = command.args.range;
      if (command.id == "view.scroll")
        view.scroll_y = std::clamp(view.scroll_y + command.args.pixels, 0.0, model.max_scroll());
      if (command.id == "select.event" || command.id == "select.reveal")
        view.selected = command.args.event;
      if (command.id == "view.toggle_collapse" && state.collapsed.erase(command.args.text) == 0)
        state.collapsed.insert(command.args.text);
    }
    return out;
  }

  void MoveTo(float x, float y) {
    mouse.x = x;
    mouse.y = y;
    mouse.over = true;
    Frame();
  }
  void Drag(float x0, float y0, float x1, float y1) {
    MoveTo(x0, y0);
    mouse.pressed = mouse.held = true;
    Frame();
    for (const float t : {0.5f, 1.0f}) MoveTo(x0 + (x1 - x0) * t, y0 + (y1 - y0) * t);
    mouse.held = false;
    Frame();
  }
  void Click(float x, float y) {
    MoveTo(x, y);
    mouse.pressed = mouse.held = true;
    Frame();
    mouse.held = false;
    Frame();
  }
  // The middle of a track's row on the screen.
  float RowY(TrackId track, uint32_t depth = 0) const {
    const LayoutItem& item = model.layout().items()[model.layout().Find(0, 0, track)];
    return model.YOf(item.y) + model.layout().sizes().row * (static_cast<float>(depth) + 0.5f);
  }

  std::vector<Profile> profiles;
  ProfileViewState state;
  ViewState view;
  Settings settings;
  SearchHits hits;
  NameCache names;
  Scheduler scheduler{2};
  JobQueue jobs{scheduler, Urgency::kSoon};
  TimelineGeometry geometry;
  TimelineModel model;
  TimelineInteraction interaction;
  TimelineMouse mouse;
  CommandQueue commands;
  Command last{"view.zoom_all"};
  std::optional<float> anchor_y;
  bool animate = false;
};

// The screen x of a time in a view of 10 ms on 1000 pixels.
float At(Ps t) { return 228 + static_cast<float>(t / (10 * kPsPerUs)); }

// A thread that is deep in its first half and flat in its second, with more threads below.
std::shared_ptr<const Trace> DeepThenFlat() {
  TraceMaker maker;
  const PlaneId host = maker.Plane("Host", PlaneKind::kHostThreads);
  std::vector<SimpleEvent> deep;
  for (Ps i = 0; i < 20; ++i)
    deep.push_back({"f", i * kPsPerUs, 1000 * kPsPerUs - 2 * i * kPsPerUs});
  deep.push_back({"g", 1100 * kPsPerUs, 900 * kPsPerUs});
  maker.Track(host, "deep", TrackKind::kThread, deep);
  for (int i = 0; i < 13; ++i)
    maker.Track(host, "below", TrackKind::kThread, {{"h", 0, 2000 * kPsPerUs}});
  return maker.Finish();
}

constexpr float kMinimapY = 20;

}  // namespace

TEST_CASE("interaction: a drag beside the minimap's brush draws another visible range") {
  Timeline t(TrainingTrace());
  t.view.visible = {1 * kPsPerMs, 2 * kPsPerMs};
  t.Frame();
  t.Drag(At(5 * kPsPerMs), kMinimapY, At(8 * kPsPerMs), kMinimapY);
  CHECK(static_cast<double>(t.view.visible.begin) == doctest::Approx(5e9).epsilon(0.01));
  CHECK(static_cast<double>(t.view.visible.end) == doctest::Approx(8e9).epsilon(0.01));
  // From right to left, and out of the window.
  t.Drag(At(4 * kPsPerMs), kMinimapY, 10, kMinimapY);
  CHECK(t.view.visible.begin == 0);
  CHECK(static_cast<double>(t.view.visible.end) == doctest::Approx(4e9).epsilon(0.01));
}

TEST_CASE("interaction: inside the brush a drag moves it, at its edges it resizes it") {
  Timeline t(TrainingTrace());
  t.view.visible = {2 * kPsPerMs, 4 * kPsPerMs};
  t.Frame();
  t.Drag(At(3 * kPsPerMs), kMinimapY, At(5 * kPsPerMs), kMinimapY);
  CHECK(t.view.visible.length() == 2 * kPsPerMs);
  CHECK(static_cast<double>(t.view.visible.begin) == doctest::Approx(4e9).epsilon(0.01));
  t.view.visible = {2 * kPsPerMs, 4 * kPsPerMs};
  t.Frame();
  t.Drag(At(4 * kPsPerMs), kMinimapY, At(6 * kPsPerMs), kMinimapY);
  CHECK(t.view.visible.begin == 2 * kPsPerMs);
  CHECK(static_cast<double>(t.view.visible.end) == doctest::Approx(6e9).epsilon(0.01));
  t.Drag(At(2 * kPsPerMs), kMinimapY, At(1 * kPsPerMs), kMinimapY);
  CHECK(static_cast<double>(t.view.visible.begin) == doctest::Approx(1e9).epsilon(0.01));
}

TEST_CASE("interaction: with everything in view, a drag anywhere on the minimap draws a range") {
  Timeline t(TrainingTrace());
  t.Drag(At(3 * kPsPerMs), kMinimapY, At(5 * kPsPerMs), kMinimapY);
  CHECK(static_cast<double>(t.view.visible.begin) == doctest::Approx(3e9).epsilon(0.01));
  CHECK(static_cast<double>(t.view.visible.end) == doctest::Approx(5e9).epsilon(0.01));
}

TEST_CASE(
    "interaction: a click beside the brush brings it there, a brush of no width can be moved") {
  Timeline t(TrainingTrace());
  t.view.visible = {1 * kPsPerMs, 2 * kPsPerMs};
  t.Frame();
  t.Click(At(6 * kPsPerMs), kMinimapY);
  CHECK(t.view.visible.length() == kPsPerMs);
  CHECK(t.view.visible.Contains(6 * kPsPerMs));
  t.view.visible = {3 * kPsPerMs, 3 * kPsPerMs + kPsPerUs};
  t.Frame();
  t.Drag(At(3 * kPsPerMs) + 2, kMinimapY, At(5 * kPsPerMs) + 2, kMinimapY);
  CHECK(t.view.visible.length() == kPsPerUs);
  CHECK(static_cast<double>(t.view.visible.begin) == doctest::Approx(5e9).epsilon(0.01));
}

TEST_CASE("interaction: a double click asks to come closer, a right click for a menu") {
  Timeline t(TrainingTrace());
  const float y = t.RowY(TrackId(0));
  t.MoveTo(At(3 * kPsPerMs + 145 * kPsPerUs), y);
  REQUIRE(t.interaction.hovered().valid());
  t.mouse.double_clicked = true;
  CHECK(t.Frame() == std::vector<std::string>{"view.zoom_selection"});
  CHECK(t.last.args.closer_only);
  t.mouse.right_clicked = true;
  CHECK(t.Frame() == std::vector<std::string>{"select.event"});
  const auto menu = t.interaction.TakeMenu();
  REQUIRE(menu.has_value());
  CHECK(menu->event == t.view.selected);
  CHECK_FALSE(t.interaction.TakeMenu().has_value());
  t.MoveTo(100, t.geometry.rows.y + 10);  // the first plane's name
  t.mouse.right_clicked = true;
  t.Frame();
  const auto plane = t.interaction.TakeMenu();
  REQUIRE(plane.has_value());
  CHECK_FALSE(plane->event.valid());
  CHECK(plane->path == PlanePath(*t.profiles[0].trace, PlaneId(0)));
  CHECK_FALSE(plane->folds.empty());
  t.MoveTo(100, t.RowY(TrackId(0)));  // a track of one row: it can be hidden, not folded
  t.mouse.right_clicked = true;
  t.Frame();
  const auto track = t.interaction.TakeMenu();
  REQUIRE(track.has_value());
  CHECK(track->path == TrackPath(*t.profiles[0].trace, t.profiles[0].trace->set, TrackId(0)));
  CHECK(track->folds.empty());
}

TEST_CASE("interaction: the right button pans whatever the tool, the middle one zooms to a range") {
  Timeline t(TrainingTrace());
  t.view.visible = {2 * kPsPerMs, 4 * kPsPerMs};
  t.view.tool = Tool::kTiming;
  t.mouse.right = true;
  t.Drag(600, 300, 500, 300);
  CHECK(t.view.visible == TimeRange{2 * kPsPerMs + 200 * kPsPerUs, 4 * kPsPerMs + 200 * kPsPerUs});
  t.Click(600, 300);
  CHECK_FALSE(t.view.selected.valid());  // the menu's button selects by its own command
  t.mouse.right = false;
  t.mouse.middle = true;
  t.view.visible = {0, 10 * kPsPerMs};
  t.Drag(At(2 * kPsPerMs), 300, At(4 * kPsPerMs), 300);
  CHECK(t.view.visible == TimeRange{2 * kPsPerMs, 4 * kPsPerMs});
}

TEST_CASE("interaction: Shift measures, edges snap on all tracks unless Alt is held") {
  Timeline t(TrainingTrace());
  t.view.visible = {0, 10 * kPsPerMs};
  t.view.tool = Tool::kZoom;
  t.mouse.shift = t.mouse.alt = true;
  t.Drag(600, t.RowY(TrackId(0)), 500, t.RowY(TrackId(0)));
  CHECK(t.last.id == "measure.set");
  CHECK(t.last.args.range.begin == 2720 * kPsPerUs);
  t.mouse.alt = false;
  // Some pixels beside the begins of kernels.
  t.Drag(At(3300 * kPsPerUs) + 3, 480, At(5500 * kPsPerUs) + 3, 480);
  CHECK(t.last.args.range == TimeRange{3300 * kPsPerUs, 5500 * kPsPerUs});
}

TEST_CASE("interaction: the edges of the measured range are dragged on the ruler") {
  Timeline t(TrainingTrace());
  t.view.visible = {0, 10 * kPsPerMs};
  t.view.measured = {2 * kPsPerMs, 4 * kPsPerMs};
  const float ruler = t.geometry.ruler.y + 5;
  t.MoveTo(At(4 * kPsPerMs) + 2, ruler);
  CHECK(t.interaction.resizes());
  t.Drag(At(4 * kPsPerMs), ruler, At(7 * kPsPerMs), ruler);
  CHECK(t.last.id == "measure.set");
  CHECK(t.last.args.range == TimeRange{2 * kPsPerMs, 7 * kPsPerMs});
  t.Drag(At(2 * kPsPerMs), ruler, At(6 * kPsPerMs), ruler);  // past the other edge
  CHECK(t.last.args.range == TimeRange{4 * kPsPerMs, 6 * kPsPerMs});
}

TEST_CASE("interaction: Ctrl and a click add to the selection, Ctrl and a drag draw a box") {
  Timeline t(TrainingTrace());
  t.view.visible = {0, 10 * kPsPerMs};
  t.mouse.ctrl = true;
  t.Click(At(1 * kPsPerMs) + 4, t.RowY(TrackId(0)));
  CHECK(t.last.id == "select.toggle");
  CHECK(t.last.args.event.row.valid());
  const float top = t.RowY(TrackId(0)) - 4, bottom = t.RowY(TrackId(1)) + 4;
  t.Drag(At(1 * kPsPerMs) + 1, top, At(2 * kPsPerMs) - 20, bottom);
  CHECK(t.last.id == "select.events");
  // Eight kernels of the first step and its copy.
  CHECK(t.last.args.events.size() == 9);
}

TEST_CASE("interaction: the wheel scrolls tracks and, over ruler and minimap, zooms") {
  Timeline t(TrainingTrace());
  t.MoveTo(600, 300);
  t.mouse.wheel = 1;
  CHECK(t.Frame() == std::vector<std::string>{"view.scroll"});
  t.MoveTo(600, t.geometry.ruler.y + 5);
  t.mouse.wheel = 1;
  CHECK(t.Frame() == std::vector<std::string>{"view.set_range"});
  const TimeRange whole = t.profiles[0].trace->span;
  CHECK(t.view.visible.length() == whole.length() * 4 / 5);
}

TEST_CASE("timeline: tracks have the rows that are in view and shrink when the gesture has ended") {
  Timeline t(DeepThenFlat());
  const TrackId deep(0);
  const auto rows = [&] {
    return t.model.layout().items()[t.model.layout().Find(0, 0, deep)].rows;
  };
  CHECK(rows() == 20);
  t.view.visible = {1200 * kPsPerUs, 1900 * kPsPerUs};
  t.Frame();
  CHECK(rows() == 1);
  t.view.visible = {0, 100 * kPsPerUs};
  t.Frame();
  CHECK(rows() == 20);
  // While a drag moves the view nothing becomes smaller.
  t.view.visible = {700 * kPsPerUs, 1300 * kPsPerUs};
  t.MoveTo(900, 300);
  t.mouse.pressed = t.mouse.held = true;
  t.Frame();
  t.MoveTo(600, 300);
  t.MoveTo(300, 300);
  CHECK(t.view.visible.begin >= 1000 * kPsPerUs);
  t.Frame();
  CHECK(rows() == 20);
  t.mouse.held = false;
  t.Frame();
  t.Frame();
  CHECK(rows() == 1);
}

TEST_CASE("timeline: what lies under the mouse stays there when tracks above change") {
  Timeline t(DeepThenFlat(), 300);  // 209 pixels of rows
  t.view.visible = {1200 * kPsPerUs, 1900 * kPsPerUs};
  t.Frame();
  const float before = t.RowY(TrackId(1));
  t.anchor_y = before;
  t.view.visible = {0, 100 * kPsPerUs};
  t.Frame();
  CHECK(t.RowY(TrackId(1)) == before);  // in this frame already
  CHECK(t.model.scroll() == 19 * 19);
  t.Frame();
  CHECK(t.RowY(TrackId(1)) == before);
  CHECK(t.view.scroll_y == 19 * 19);
  t.view.visible = {1200 * kPsPerUs, 1900 * kPsPerUs};
  t.Frame();
  CHECK(t.RowY(TrackId(1)) == before);
  t.Frame();
  CHECK(t.view.scroll_y == 0);
  CHECK(t.Frame().empty());
}

TEST_CASE("timeline: names and headings stay in sight, and what lies under them is not hit") {
  Timeline t(DeepThenFlat(), 300);
  t.view.scroll_y = 100;
  t.Frame();
  REQUIRE(t.model.sticky().size() == 1);
  CHECK(t.model.rows_below_sticky().y == t.geometry.rows.y + 22);
  CHECK(t.model.ItemAt(t.geometry.rows.y + 10) == t.model.sticky()[0].item);
  CHECK_FALSE(t.model.HitTest(t.profiles, 300, t.geometry.rows.y + 10).valid());
  CHECK(t.model.HitTest(t.profiles, 400, t.geometry.rows.y + 40).valid());
  t.Click(100, t.geometry.rows.y + 10);  // folds the plane, whose heading was stuck
  CHECK(t.state.collapsed.size() == 1);
  t.Frame();
  CHECK(t.view.scroll_y == 0);
}

TEST_CASE("timeline: rules among the settings arrange tracks, in any open trace") {
  Timeline t(DeepThenFlat());
  CHECK(t.model.layout().Find(0, 0, TrackId(0)) == 1);
  TrackRules rules;
  rules.hidden = {TrackPath(*t.profiles[0].trace, t.profiles[0].trace->set, TrackId(0))};
  t.settings.tracks = rules;
  t.Frame();
  CHECK(t.model.layout().Find(0, 0, TrackId(0)) == Layout::npos);
  CHECK(t.model.layout().Find(0, 0, TrackId(1)) == 1);
}

TEST_CASE("timeline: pinned tracks stay in sight, and what lies on them is theirs") {
  TraceMaker maker;
  const PlaneId host = maker.Plane("Host", PlaneKind::kHostThreads);
  std::vector<SimpleEvent> deep;
  for (Ps i = 0; i < 20; ++i)
    deep.push_back({"f", i * kPsPerUs, 1000 * kPsPerUs - 2 * i * kPsPerUs});
  maker.Track(host, "deep", TrackKind::kThread, deep);
  for (int i = 0; i < 13; ++i)
    maker.Track(host, "t" + std::to_string(i), TrackKind::kThread, {{"h", 0, 2000 * kPsPerUs}});
  Timeline t(maker.Finish(), 300);  // 209 pixels of rows
  const Trace& trace = *t.profiles[0].trace;
  const TrackId last(13);
  t.view.visible = {0, 2000 * kPsPerUs};
  const auto pin = [&](const std::vector<TrackId>& tracks) {
    TrackRules rules;
    for (const TrackId track : tracks) rules.pinned.push_back(TrackPath(trace, trace.set, track));
    t.settings.tracks = rules;
  };
  pin({TrackId(0), last});
  t.Frame();
  t.Frame();
  // The first pinned track is higher than half of the rows, so neither stays at the top.
  t.view.scroll_y = 200;
  t.Frame();
  CHECK(t.model.sticky().empty());
  pin({last});
  t.view.scroll_y = 100;
  t.Frame();
  t.Frame();
  REQUIRE(t.model.scroll() > 0);
  REQUIRE(t.model.sticky().size() == 2);
  const float y = t.geometry.rows.y + 9;
  CHECK(t.model.ItemAt(y) == 0);
  t.MoveTo(600, y);
  REQUIRE(t.interaction.hovered().valid());
  const TrackSet& set = trace.set;
  CHECK(set.TrackOf(t.interaction.hovered().event.row) == last);
  const auto place = t.model.FindPlace(t.profiles, t.interaction.hovered().event);
  REQUIRE(place);
  CHECK(place->sticks);
  CHECK(place->y == t.geometry.rows.y);
  // A box over the pinned track holds its event, and none of the events that scroll under it.
  CHECK(t.model.EventsIn(t.profiles, {300, y, 300, 2}, 100).size() == 1);
  t.Click(600, y);
  CHECK(set.TrackOf(t.view.selected.row) == last);
  const double scroll = t.model.scroll();
  ++t.view.reveals;  // revealing an event of it scrolls nothing
  t.Frame();
  CHECK(t.model.scroll() == scroll);
  // The name beside it, its labels and its texels stand in its row.
  for (const PlanLabel& label : t.model.plan().labels()) {
    if (label.sticks) CHECK(label.y == 0);
  }
  CHECK(t.model.plan().lines()[9].row + 2 == t.model.plan().rows().size());
}

TEST_CASE("timeline: slices of the name under the mouse light up on all tracks") {
  Timeline t(TrainingTrace());
  t.view.visible = {0, 2 * kPsPerMs};
  t.Frame();
  CHECK(t.model.same_name().empty());
  const float x = 228 + 500.0f * 0.045f;  // in the first kernel
  t.MoveTo(x, t.RowY(TrackId(0)));
  t.Frame();
  // There are four in each step on both GPUs; each box is a kernel of that name.
  REQUIRE(t.model.same_name().size() == 16);
  for (const PlanBox& box : t.model.same_name()) {
    const TimelineHit hit = t.model.HitTest(t.profiles, t.geometry.rows.x + box.x + box.w / 2,
                                            t.geometry.rows.y + box.y + box.h / 2);
    REQUIRE(hit.valid());
    CHECK(t.profiles[0].trace->set.Name(hit.event.row) == "sgemm_128x64");
    CHECK_FALSE(box.sticks);
  }
  t.MoveTo(x, t.geometry.ruler.y + 5);
  t.Frame();
  CHECK(t.model.same_name().empty());
  // A pixel that holds many events means none of them.
  t.view.visible = {0, 10'000 * kPsPerMs};
  t.Frame();
  t.MoveTo(228.5f, t.RowY(TrackId(0)));
  t.Frame();
  CHECK(t.model.same_name().empty());
}

namespace {

// A call on the host at 0.1 ms that launches a kernel at 5 ms.
std::shared_ptr<const Trace> FarLaunch() {
  TraceMaker maker;
  const PlaneId gpu = maker.Plane("GPU", PlaneKind::kGpu);
  const TrackId kernels = maker.Track(
      gpu, "Stream", TrackKind::kStream,
      {{"kernel", 5000 * kPsPerUs, 100 * kPsPerUs}, {"last", 9900 * kPsPerUs, 100 * kPsPerUs}});
  const PlaneId host = maker.Plane("Host", PlaneKind::kHostThreads);
  const TrackId calls =
      maker.Track(host, "main", TrackKind::kThread, {{"launch", 100 * kPsPerUs, 50 * kPsPerUs}});
  maker.Flow(calls, 0, kernels, 0);
  return maker.Finish();
}

struct Launches : Timeline {
  Launches() : Timeline(FarLaunch()) {
    profiles[0].flows =
        std::make_shared<const FlowIndex>(BuildFlowIndex(*profiles[0].trace, nullptr));
    const TrackSet& set = profiles[0].trace->set;
    kernel = {ProfileId(0), 0, EventRow(set.LanesOf(set.tracks[0])[0].first_row)};
    call = {ProfileId(0), 0, EventRow(set.LanesOf(set.tracks[1])[0].first_row)};
  }
  EventRef kernel, call;
};

}  // namespace

TEST_CASE("timeline: an arrow whose other end is out of sight is a stub; a click goes there") {
  Launches t;
  t.view.visible = {0, 10 * kPsPerMs};
  t.view.selected = t.kernel;
  t.Frame();
  CHECK(t.model.flows().lines().size() == 1);
  CHECK(t.model.flows().stubs().empty());
  t.view.visible = {4 * kPsPerMs, 6 * kPsPerMs};
  t.Frame();
  CHECK(t.model.flows().lines().empty());
  REQUIRE(t.model.flows().stubs().size() == 1);
  const FlowStub stub = t.model.flows().stubs()[0];
  CHECK(stub.dx == -1);
  CHECK(stub.dy == 1);
  CHECK_FALSE(stub.forward);
  CHECK(stub.to == t.call);
  t.Click(stub.box.x + 5, stub.box.y + 5);
  CHECK(t.last.id == "select.reveal");
  CHECK(t.view.selected == t.call);
  t.view.visible = {0, kPsPerMs};
  t.Frame();
  REQUIRE(t.model.flows().stubs().size() == 1);
  CHECK(t.model.flows().stubs()[0].forward);
  CHECK(t.model.flows().stubs()[0].dx == 1);
  CHECK(t.model.flows().stubs()[0].dy == -1);
  CHECK(t.model.flows().stubs()[0].to == t.kernel);
  // An event on a folded plane is out of sight too.
  t.view.visible = {0, 10 * kPsPerMs};
  t.state.collapsed = {PlanePath(*t.profiles[0].trace, PlaneId(0))};
  t.Frame();
  REQUIRE(t.model.flows().stubs().size() == 1);
  CHECK(t.model.flows().stubs()[0].dx == 0);
  t.settings.flow_arrows = false;
  t.Frame();
  CHECK(t.model.flows().stubs().empty());
}

TEST_CASE("timeline: the event under the mouse has its arrows, and keeps them on its stub") {
  Launches t;
  t.view.visible = {0, 10 * kPsPerMs};
  t.MoveTo(At(5050 * kPsPerUs), t.RowY(TrackId(0)));
  t.Frame();
  CHECK(t.interaction.lit() == t.kernel);
  CHECK(t.model.hovered_flows().lines().size() == 1);
  t.view.selected = t.kernel;  // then it is drawn already
  t.Frame();
  CHECK(t.model.hovered_flows().lines().empty());
  CHECK(t.model.flows().lines().size() == 1);
  t.view.selected = {};
  t.view.visible = {4 * kPsPerMs, 6 * kPsPerMs};
  t.MoveTo(728 + 10, t.RowY(TrackId(0)));
  t.Frame();
  REQUIRE(t.model.hovered_flows().stubs().size() == 1);
  const Box box = t.model.hovered_flows().stubs()[0].box;
  t.MoveTo(box.x + 5, box.y + 5);
  t.Frame();
  CHECK(t.interaction.stub() != nullptr);
  CHECK(t.interaction.lit() == t.kernel);
  CHECK_FALSE(t.interaction.hovered().valid());
  t.Click(box.x + 5, box.y + 5);
  CHECK(t.view.selected == t.call);
  t.MoveTo(400, t.geometry.ruler.y + 5);
  t.Frame();
  CHECK_FALSE(t.interaction.lit().valid());
  CHECK(t.model.hovered_flows().stubs().empty());
}
