// Limits of the panels, measured ranges, selections of several events and arrows, by commands.
#include <doctest/doctest.h>

#include "tests/viewer/viewer_fixture.h"
#include "viewer/core/state/settings.h"
#include "viewer/core/state/track_rules.h"
#include "viewer/core/state/view_state.h"

using namespace stepscope;        // NOLINT
using namespace stepscope::test;  // NOLINT

namespace {

CommandArgs Range(Ps begin, Ps end) {
  CommandArgs args;
  args.range = {begin, end};
  return args;
}

struct Opened : ViewerFixture {
  Opened() { Open(TrainingTrace()); }
  void Do(CommandId id, CommandArgs args = {}) {
    Push(id, std::move(args));
    Frame(2);
  }
  const ViewState& view() const { return viewer->view(); }
  // The first event of a name.
  EventRef Find(std::string_view name) const {
    const TrackSet& set = session.profiles[0].trace->set;
    for (uint32_t row = 0; row < set.rows; ++row) {
      if (set.Name(EventRow(row)) == name) return {ProfileId(0), 0, EventRow(row)};
    }
    return {};
  }
  CommandArgs Event(std::string_view name) const {
    CommandArgs args;
    args.event = Find(name);
    return args;
  }
};

}  // namespace

TEST_CASE("limits are nested and are taken back one by one") {
  Opened f;
  f.Do("filter.range", Range(kPsPerMs, 5 * kPsPerMs));
  CHECK(f.view().Filter() == TimeRange{kPsPerMs, 5 * kPsPerMs});
  f.Do("filter.range", Range(4 * kPsPerMs, 8 * kPsPerMs));
  CHECK(f.view().Filter() == TimeRange{4 * kPsPerMs, 5 * kPsPerMs});
  f.Do("filter.pop");
  CHECK(f.view().Filter() == TimeRange{kPsPerMs, 5 * kPsPerMs});
  f.Do("filter.range", Range(7 * kPsPerMs, 8 * kPsPerMs));  // nothing would be left
  CHECK(f.view().Filter() == TimeRange{7 * kPsPerMs, 8 * kPsPerMs});
  CHECK(f.view().filters.size() == 1);
  f.Do("view.back");
  CHECK(f.view().Filter() == TimeRange{kPsPerMs, 5 * kPsPerMs});
  f.Do("filter.clear");
  CHECK(f.view().filters.empty());
}

TEST_CASE("panels are limited to the measured range, else the selection, else the view") {
  Opened f;
  f.Do("view.set_range", Range(2 * kPsPerMs, 6 * kPsPerMs));
  f.Do("filter.here");
  CHECK(f.view().Filter() == TimeRange{2 * kPsPerMs, 6 * kPsPerMs});
  f.Do("filter.clear");
  f.Do("select.event", f.Event("FunctionRun"));
  f.Do("filter.here");
  CHECK(f.view().Filter() == TimeRange{50 * kPsPerUs, 650 * kPsPerUs});
  CHECK(f.view().filters.back().label == "FunctionRun");
  f.Do("filter.clear");
  f.Do("measure.set", Range(10, 20));
  f.Do("filter.here");
  CHECK(f.view().Filter() == TimeRange{10, 20});
}

TEST_CASE("panels are limited to the step that was gone to, without the margin around it") {
  Opened f;
  f.session.profiles[0].steps = std::make_shared<const std::vector<StepMarker>>(
      std::vector<StepMarker>{{.label = "train 2", .range = {2 * kPsPerMs, 3 * kPsPerMs}},
                              {.label = "train 3", .range = {3 * kPsPerMs, 4 * kPsPerMs}}});
  ++f.session.generation;
  f.Frame(2);
  f.Do("view.set_range", Range(2'950 * kPsPerUs, 4'050 * kPsPerUs));
  f.Do("filter.here");
  CHECK(f.view().Filter() == TimeRange{3 * kPsPerMs, 4 * kPsPerMs});
  CHECK(f.view().filters.back().label == "train 3");
  f.Do("filter.clear");
  f.Do("view.set_range", Range(2 * kPsPerMs, 4 * kPsPerMs));
  f.Do("filter.here");
  CHECK(f.view().Filter() == TimeRange{2 * kPsPerMs, 4 * kPsPerMs});
  // A step whose name is a number alone is said to be a step.
  f.session.profiles[0].steps = std::make_shared<const std::vector<StepMarker>>(
      std::vector<StepMarker>{{.label = "1", .range = {2 * kPsPerMs, 3 * kPsPerMs}}});
  ++f.session.generation;
  f.Frame(2);
  f.Do("filter.clear");
  f.Do("view.set_range", Range(2 * kPsPerMs, 3 * kPsPerMs));
  f.Do("filter.here");
  CHECK(f.view().filters.back().label == "step 1");
}

TEST_CASE("a click with Ctrl collects events, and they can be measured") {
  Opened f;
  const EventRef kernel = f.Find("bn_fw_tr"), copy = f.Find("MemcpyH2D");
  f.Do("select.event", f.Event("bn_fw_tr"));
  f.Do("select.toggle", f.Event("MemcpyH2D"));
  CHECK(f.view().shown.events() == std::vector<EventRef>{kernel, copy});
  f.Do("measure.shown");
  CHECK(f.view().measured == TimeRange{0, 190 * kPsPerUs});
  f.Do("select.toggle", f.Event("bn_fw_tr"));
  CHECK(f.view().shown.events() == std::vector<EventRef>{copy});
  f.Do("select.toggle", f.Event("MemcpyH2D"));
  CHECK(f.view().shown.empty());
}

TEST_CASE("arrows are followed in both directions") {
  Opened f;
  f.Do("select.event", f.Event("cudaLaunchKernel"));
  const EventRef launch = f.view().selected;
  f.Do("select.flow_next");
  const TrackSet& set = f.session.profiles[0].trace->set;
  CHECK(set.Name(f.view().selected.row) == "bn_fw_tr");
  f.Do("select.flow_previous");
  CHECK(f.view().selected == launch);
  f.Do("select.flow_previous");  // nothing led to it
  CHECK(f.view().selected == launch);
}

TEST_CASE("the first event inside is selected") {
  Opened f;
  f.Do("select.event", f.Event("train 0"));
  f.Do("select.child");
  const TrackSet& set = f.session.profiles[0].trace->set;
  CHECK(set.Name(f.view().selected.row) == "FunctionRun");
  f.Do("select.parent");
  CHECK(set.Name(f.view().selected.row) == "train 0");
}

TEST_CASE("a copied view opens at the same place") {
  Opened f;
  f.Do("view.set_range", Range(3 * kPsPerMs, 4 * kPsPerMs));
  f.Do("select.event", f.Event("FunctionRun"));
  f.Do("measure.set", Range(kPsPerMs, 2 * kPsPerMs));
  f.Do("filter.range", Range(0, 5 * kPsPerMs));
  const ViewState before = f.view();
  f.Do("view.copy_token");
  const std::string token = f.services.clipboard;
  REQUIRE(ParseViewToken(token).has_value());
  Opened g;
  CommandArgs args;
  args.text = token;
  g.Do("view.open_token", args);
  CHECK(g.view().visible == before.visible);
  CHECK(g.view().selected == before.selected);
  CHECK(g.view().measured == before.measured);
  CHECK(g.view().Filter() == before.Filter());
  args.text = "v1:e0.4000000000:r9-9";  // no such event, no such range
  g.Do("view.open_token", args);
  CHECK_FALSE(g.view().selected.valid());
}

TEST_CASE("a box selects what it touches") {
  Opened f;
  f.Do("tool.select");
  const TexelFrame& canvas = f.canvas();
  const float y0 = canvas.y + 2, y1 = canvas.y + static_cast<float>(canvas.lines.size()) - 2;
  f.Drag(canvas.x + 20, y0, canvas.x + static_cast<float>(canvas.width) * 0.5f, y1);
  f.Frame(2);
  CHECK(f.view().shown.size() > 20);
  for (const EventRef& event : f.view().shown.events()) CHECK(event.trace == ProfileId(0));
  const TrackSet& set = f.session.profiles[0].trace->set;
  bool inside = true;
  for (const EventRef& event : f.view().shown.events())
    inside = inside && set.Start(event.row) < 6 * kPsPerMs;
  CHECK(inside);
}

TEST_CASE("tracks are pinned, moved and let go, and the rules are kept as settings") {
  Opened f;
  CommandArgs stream;
  stream.text = "host-0|/device:GPU:1|Stream #15#3";
  f.Do("track.pin", stream);
  f.Do("track.move", stream);
  const TrackRules& rules = f.viewer->settings().tracks;
  CHECK(rules.pinned == std::vector<std::string>{stream.text});
  CHECK(rules.order == std::vector<std::string>{stream.text});
  f.Do("track.pin", stream);
  CHECK(rules.pinned.empty());
  f.Do("track.unpin_all");
  CHECK(rules == TrackRules());
}

TEST_CASE("several tracks are pinned in an order, and let go together") {
  Opened f;
  CommandArgs tracks, first;
  tracks.paths = {"h|GPU 1|Stream#7", "h|GPU 0|Stream#7"};
  first.text = tracks.paths[1];
  const auto pinned = [&] { return f.viewer->settings().tracks.pinned; };
  f.Do("track.pin", first);
  f.Do("track.pin", tracks);
  CHECK(pinned() == tracks.paths);
  f.Do("track.pin", tracks);
  CHECK(pinned().empty());
}

TEST_CASE("tracks take the next order, or the one that is named") {
  Opened f;
  const auto order = [&] { return SettingText(f.viewer->settings(), &Settings::track_sort); };
  for (const char* next : {"name", "busy time", "events", "as recorded", "name"}) {
    f.Do("track.sort");
    CHECK(order() == next);
  }
  CommandArgs args;
  args.text = "events";
  f.Do("track.sort", args);
  CHECK(order() == "events");
  args.text = "colour";
  f.Do("track.sort", args);
  CHECK(order() == "events");
  f.Do("view.reset_layout");
  CHECK(order() == "as recorded");
}

TEST_CASE("only the tracks of the selection are shown, and all of them again") {
  Opened f;
  f.Do("select.event", f.Event("MemcpyH2D"));
  f.Do("track.only_selected");
  REQUIRE(f.view().profiles[0].only.size() == 1);
  f.Do("view.set_range", Range(0, 5 * kPsPerMs));
  CHECK(f.canvas().rows == 2);  // the plane's activity and the stream
  f.Do("track.only_selected");
  CHECK(f.view().profiles[0].only.empty());
  CHECK(f.canvas().rows > 4);
  CommandArgs words;
  words.text = "gpu:1 #14";
  f.Do("track.filter", words);
  CHECK(f.canvas().rows == 2);
  f.Do("track.filter");
  CHECK(f.canvas().rows > 4);
}

TEST_CASE("commands for a closed profile do nothing") {
  Opened f;
  const ViewState before = f.view();
  constexpr CommandId kCommands[] = {"go.next_step",    "go.previous_step",    "go.step",
                                     "go.typical_step", "go.worst_step",       "filter.steps",
                                     "filter.visible",  "filter.range",        "mark.add",
                                     "mark.next",       "track.only_selected", "view.open_token"};
  for (const CommandId id : kCommands) {
    CAPTURE(id.text());
    CommandArgs args = Range(0, kPsPerMs);
    args.profile = ProfileId(7);
    args.text = "1";
    f.Do(id, args);
    CHECK(f.view().visible == before.visible);
    CHECK(f.view().filters.empty());
  }
}

TEST_CASE("a window that becomes too small for the timeline while it moves comes to rest") {
  ViewerFixture f({900, 700}, "timeline.animate = true");
  f.Open(TrainingTrace());
  CommandArgs range;
  range.range = {2 * kPsPerMs, 3 * kPsPerMs};
  f.Push("view.set_range", range);
  f.Push("view.tall_panels");
  ImGui::GetIO().DisplaySize = {200, 60};
  f.Frame(3);
  f.WaitIdle();
  CHECK(f.viewer->BusyWith().empty());
}
