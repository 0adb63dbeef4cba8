// Moving about in the timeline by keys, wheel, mouse and tools: the whole viewer, frame by frame.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/viewer/drawn_text.h"
#include "tests/viewer/viewer_fixture.h"
#include "viewer/core/state/track_rules.h"

using namespace stepscope;        // NOLINT
using namespace stepscope::test;  // NOLINT

namespace {

// A point on the first row of GPU 0's first stream at a time.
ImVec2 PointAt(const ViewerFixture& f, Ps t) {
  const TexelFrame& canvas = f.canvas();
  const TimeRange view = f.visible();
  const double share = static_cast<double>(t - view.begin) / static_cast<double>(view.length());
  for (size_t y = 0; y < canvas.lines.size(); ++y) {
    if (canvas.lines[y].kind != TexelLine::kSlices) continue;
    return {canvas.x + static_cast<float>(share * canvas.width),
            canvas.y + static_cast<float>(y) + 5};
  }
  return {0, 0};
}

CommandArgs Range(Ps begin, Ps end) {
  CommandArgs args;
  args.range = {begin, end};
  return args;
}

}  // namespace

TEST_CASE("keys zoom and pan around the middle, 0 shows all") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  const TimeRange whole = f.visible();
  f.Key(ImGuiKey_W);
  const TimeRange closer = f.visible();
  CHECK(closer.length() < whole.length());
  CHECK(closer.begin > whole.begin);
  f.Key(ImGuiKey_D);
  CHECK(f.visible().begin > closer.begin);
  CHECK(f.visible().length() == closer.length());
  f.Key(ImGuiKey_A);
  CHECK(f.visible() == closer);
  f.Key(ImGuiKey_0);
  CHECK(f.visible() == whole);
}

TEST_CASE("a bare key does not fire with Ctrl held") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  const TimeRange before = f.visible();
  f.Key(ImGuiKey_D, ImGuiMod_Ctrl);
  CHECK(f.visible() == before);
}

TEST_CASE("Ctrl and wheel zooms at the mouse: the time under it keeps its pixel") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  const ImVec2 p = PointAt(f, 2 * kPsPerMs);
  f.Wheel(p.x, p.y, 3, ImGuiMod_Ctrl);
  const TimeRange view = f.visible();
  CHECK(view.length() < 6 * kPsPerMs);
  const double x =
      static_cast<double>(2 * kPsPerMs - view.begin) / static_cast<double>(view.length());
  CHECK(f.canvas().x + x * f.canvas().width == doctest::Approx(p.x).epsilon(0.002));
}

TEST_CASE("Shift and wheel pans") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  f.Key(ImGuiKey_W);
  f.Key(ImGuiKey_W);
  const TimeRange before = f.visible();
  const ImVec2 p = PointAt(f, before.begin + before.length() / 2);
  f.Wheel(p.x, p.y, -1, ImGuiMod_Shift);
  CHECK(f.visible().begin > before.begin);
  CHECK(f.visible().length() == before.length());
}

TEST_CASE("a click selects the event under the mouse, Escape clears, F zooms to it") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  const ImVec2 p = PointAt(f, 3 * kPsPerMs + 145 * kPsPerUs);
  f.Click(p.x, p.y);
  const EventRef selected = f.viewer->view().selected;
  REQUIRE(selected.valid());
  const TrackSet& set = f.session.profiles[0].trace->set;
  CHECK(set.Name(selected.row) == "bn_fw_tr");
  CHECK(set.Start(selected.row) == 3 * kPsPerMs + 100 * kPsPerUs);
  f.Key(ImGuiKey_C, ImGuiMod_Ctrl);
  CHECK(f.services.clipboard == "bn_fw_tr");
  f.Key(ImGuiKey_F);
  CHECK(f.visible().Contains(set.Start(selected.row)));
  CHECK(f.visible().length() == doctest::Approx(2.5 * 90 * kPsPerUs));
  f.Key(ImGuiKey_Escape);
  CHECK_FALSE(f.viewer->view().selected.valid());
}

TEST_CASE("going to an event never leaves the trace") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  const Trace& trace = *f.session.profiles[0].trace;
  const auto inside = [&] {
    return f.visible().begin >= trace.span.begin && f.visible().end <= trace.span.end;
  };
  EventRef first{ProfileId(0), 0, EventRow(0)}, last = first;
  for (uint32_t row = 0; row < trace.set.rows; ++row) {
    if (trace.set.Start(EventRow(row)) > trace.set.Start(last.row)) last.row = EventRow(row);
  }
  for (const EventRef& event : {first, last}) {
    f.Push("view.set_range", Range(4 * kPsPerMs, 7 * kPsPerMs));
    f.Push("select.show_events", {.text = {}, .range = {}, .event = {}, .events = {event}});
    CHECK(inside());
    CHECK(f.visible().length() == 3 * kPsPerMs);  // the zoom is kept
    f.Push("view.zoom_selection");
    CHECK(inside());
    CHECK(f.visible().length() < 3 * kPsPerMs);
  }
  // The memory panel's graph asks for such ranges.
  f.Push("view.set_range", Range(8 * kPsPerMs, 14 * kPsPerMs));
  CHECK(inside());
  CHECK(f.visible().length() == 6 * kPsPerMs);
  f.Push("view.set_range", Range(-90 * kPsPerMs, 140 * kPsPerMs));
  CHECK(inside());
}

TEST_CASE("zooming to an event never shows less of it than before") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  const Ps begin = 3 * kPsPerMs + 100 * kPsPerUs, length = 90 * kPsPerUs;
  const auto look = [&](Ps from, Ps to) {
    f.Push("view.set_range", Range(from, to));
    const ImVec2 p = PointAt(f, begin + length / 2);
    f.Click(p.x, p.y);
    REQUIRE(f.viewer->view().selected.valid());
  };
  // It has most of the view: F centres it, and does not go further away.
  look(begin - 10 * kPsPerUs, begin + 110 * kPsPerUs);
  f.Key(ImGuiKey_F);
  CHECK(f.visible().length() == 120 * kPsPerUs);
  CHECK(f.visible().begin == begin + length / 2 - 60 * kPsPerUs);
  // It is longer than the view: F shows it whole, a double click keeps the zoom.
  look(begin + 20 * kPsPerUs, begin + 60 * kPsPerUs);
  CommandArgs closer;
  closer.closer_only = true;
  f.Push("view.zoom_selection", closer);
  CHECK(f.visible().length() == 40 * kPsPerUs);
  f.Key(ImGuiKey_F);
  CHECK(f.visible().length() == 225 * kPsPerUs);
  // It covers the view: going to it leaves the view where it is.
  look(begin + 20 * kPsPerUs, begin + 60 * kPsPerUs);
  const TimeRange before = f.visible();
  CommandArgs selected;
  selected.event = f.viewer->view().selected;
  f.Push("select.reveal", selected);
  CHECK(f.visible() == before);
}

TEST_CASE("a double click comes closer") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  const TimeRange before = f.visible();
  const ImVec2 p = PointAt(f, 3 * kPsPerMs + 145 * kPsPerUs);
  f.Click(p.x, p.y);
  f.Click(p.x, p.y);
  CHECK(f.visible().length() < before.length() / 10);
}

TEST_CASE("dragging pans with the pan tool and measures with the timing tool, snapping to edges") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  f.Push("view.set_range",
         {.text = {}, .range = {2 * kPsPerMs, 4 * kPsPerMs}, .event = {}, .events = {}});
  f.Key(ImGuiKey_2);
  CHECK(f.viewer->view().tool == Tool::kPan);
  const ImVec2 a = PointAt(f, 3 * kPsPerMs);
  f.Drag(a.x, a.y, a.x - 200, a.y);
  CHECK(f.visible().begin > 2 * kPsPerMs);
  CHECK(f.visible().length() == 2 * kPsPerMs);
  f.Key(ImGuiKey_4);
  f.Push("view.set_range",
         {.text = {}, .range = {2 * kPsPerMs, 4 * kPsPerMs}, .event = {}, .events = {}});
  // From 3 pixels beside the start of one kernel to 3 beside the end of the next.
  const ImVec2 b = PointAt(f, 3 * kPsPerMs), c = PointAt(f, 3 * kPsPerMs + 190 * kPsPerUs);
  f.Drag(b.x + 3, b.y, c.x - 3, c.y);
  CHECK(f.viewer->view().measured == TimeRange{3 * kPsPerMs, 3 * kPsPerMs + 190 * kPsPerUs});
}

TEST_CASE("a drag on the minimap draws a range") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  const TexelFrame& map = f.sink.frames[1];
  const float width = static_cast<float>(map.width), y = map.y + 8;
  f.Drag(map.x + 0.2f * width, y, map.x + 0.5f * width, y);
  CHECK(static_cast<double>(f.visible().begin) == doctest::Approx(2.0 * kPsPerMs).epsilon(0.02));
  CHECK(static_cast<double>(f.visible().end) == doctest::Approx(5.0 * kPsPerMs).epsilon(0.02));
}

TEST_CASE("the zoom tool shows what was marked") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  f.Key(ImGuiKey_3);
  const ImVec2 a = PointAt(f, 2 * kPsPerMs), b = PointAt(f, 5 * kPsPerMs);
  f.Drag(a.x, a.y, b.x, b.y);
  CHECK(static_cast<double>(f.visible().begin) == doctest::Approx(2.0 * kPsPerMs).epsilon(0.01));
  CHECK(static_cast<double>(f.visible().end) == doctest::Approx(5.0 * kPsPerMs).epsilon(0.01));
}

TEST_CASE("a click on a heading folds the plane and its rows go") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  const uint32_t rows = f.canvas().rows;
  const float y = f.canvas().y + 10;  // the first heading
  const size_t folded = f.viewer->view().profiles[0].collapsed.size();
  f.Click(f.canvas().x - 150, y);
  CHECK(f.viewer->view().profiles[0].collapsed.size() == folded + 1);
  CHECK(f.canvas().rows == rows - 2);
  f.Click(f.canvas().x - 150, y);
  CHECK(f.canvas().rows == rows);
}

TEST_CASE("going to an event scrolls it into sight, also out of a folded plane") {
  ViewerFixture f({1000, 420});  // too low for all tracks
  f.Open(TrainingTrace());
  const TrackSet& set = f.session.profiles[0].trace->set;
  const Track& last = set.tracks.back();
  const EventRef event{ProfileId(0), 0, EventRow(set.lanes[last.first_lane.value].first_row)};
  CHECK(f.viewer->view().scroll_y == 0);
  CommandArgs args;
  args.event = event;
  f.Push("select.reveal", args);
  f.Frame(3);
  const double scrolled = f.viewer->view().scroll_y;
  CHECK(scrolled > 0);
  f.Push("select.reveal", args);
  f.Frame(3);
  CHECK(f.viewer->view().scroll_y == scrolled);  // it is in sight: nothing moves
  f.Push("view.collapse_all");
  CHECK_FALSE(f.viewer->view().profiles[0].collapsed.empty());
  const size_t folded = f.viewer->view().profiles[0].collapsed.size();
  f.Push("select.reveal", args);
  f.Frame(4);
  CHECK(f.viewer->view().profiles[0].collapsed.size() == folded - 1);
}

TEST_CASE("a held key moves slowly at first and then faster; a tap is one step") {
  ViewerFixture app;
  app.Open(TrainingTrace());
  CommandArgs range;
  range.range = {1000 * kPsPerUs, 1100 * kPsPerUs};
  app.Push("view.set_range", range);
  Ps at = app.visible().begin;
  const auto moved = [&] {
    const Ps by = app.visible().begin - at;
    at += by;
    return by;
  };
  app.Key(ImGuiKey_D);
  CHECK(moved() == 12 * kPsPerUs);
  app.Key(ImGuiKey_D, ImGuiMod_Shift);
  CHECK(moved() == 3 * kPsPerUs);
  app.Key(ImGuiKey_D, ImGuiMod_Ctrl | ImGuiMod_Shift);
  CHECK(moved() == 48 * kPsPerUs);
  app.Key(ImGuiKey_A, ImGuiMod_Ctrl | ImGuiMod_Shift);
  CHECK(moved() == -48 * kPsPerUs);
  std::vector<Ps> steps;
  ImGui::GetIO().AddKeyEvent(ImGuiKey_D, true);
  for (int i = 0; i < 180; ++i) {
    app.Frame();
    if (const Ps by = moved(); by != 0) steps.push_back(by);
  }
  ImGui::GetIO().AddKeyEvent(ImGuiKey_D, false);
  app.Frame(2);
  REQUIRE(steps.size() > 20);
  CHECK(steps[0] == 12 * kPsPerUs);
  CHECK(steps[1] < 12 * kPsPerUs);
  for (size_t i = 2; i < steps.size(); ++i) CHECK(steps[i] >= steps[i - 1]);
  CHECK(steps.back() == 36 * kPsPerUs);
}

TEST_CASE("zooming by a little and by a lot keeps what is under the middle") {
  ViewerFixture app;
  app.Open(TrainingTrace());
  CommandArgs range;
  range.range = {4000 * kPsPerUs, 5000 * kPsPerUs};
  app.Push("view.set_range", range);
  const auto share = [&](CommandId command) {
    const TimeRange before = app.visible();
    app.Push(command);
    const TimeRange after = app.visible();
    CHECK(std::abs((before.begin + before.end) - (after.begin + after.end)) < 1000);
    return static_cast<double>(after.length()) / static_cast<double>(before.length());
  };
  CHECK(share("view.zoom_in_fine") == doctest::Approx(std::pow(1.6, -0.25)).epsilon(0.001));
  CHECK(share("view.zoom_out_fine") == doctest::Approx(std::pow(1.6, 0.25)).epsilon(0.001));
  CHECK(share("view.zoom_in_coarse") == doctest::Approx(std::pow(1.6, -4)).epsilon(0.001));
  CHECK(share("view.zoom_out_coarse") == doctest::Approx(std::pow(1.6, 4)).epsilon(0.001));
}

TEST_CASE("undo of Hide brings the track back into sight, and the status follows") {
  TraceMaker maker;
  constexpr int kGpus = 12;
  for (int gpu = 0; gpu < kGpus; ++gpu) {
    const PlaneId plane = maker.Plane("GPU " + std::to_string(gpu), PlaneKind::kGpu);
    maker.Track(plane, "Stream " + std::to_string(gpu), TrackKind::kStream,
                {{"k" + std::to_string(gpu), 0, kPsPerMs}});
  }
  const auto trace = maker.Finish();
  const std::string path = TrackPath(*trace, trace->set, TrackId(5));
  // The mouse is on the row that comes to the place of the hidden one.
  for (const double scroll : {150.0, 190.0, 230.0}) {
    CAPTURE(scroll);
    ViewerFixture f({1280, 700});
    f.Open(trace);
    f.Push("view.scroll", {.pixels = scroll});
    f.WaitIdle();
    f.MoveTo(f.canvas().x + 300, f.canvas().y + 30);
    f.Push("view.toggle_hidden", {.text = path});
    f.WaitIdle();
    CHECK(DrawnText().Has("Hidden: Stream 5"));
    CHECK_FALSE(DrawnText().Has("#5"));
    CHECK(f.viewer->TimelineSvg().find("k5 ") == std::string::npos);
    f.Push("view.back");
    f.WaitIdle();
    CHECK(f.viewer->TimelineSvg().find("k5 ") != std::string::npos);
    CHECK(DrawnText().Has("Shown again: Stream 5"));
    CHECK_FALSE(DrawnText().Has("Hidden: "));
  }
}
