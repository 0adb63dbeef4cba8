// The whole viewer, frame by frame, without a window.
#include "viewer/viewer.h"

#include <doctest/doctest.h>

#include <imgui_internal.h>

#include <chrono>
#include <future>
#include <memory>
#include <utility>
#include <vector>

#include "tests/viewer/viewer_fixture.h"
#include "viewer/core/panel.h"
#include "viewer/core/state/settings.h"
#include "viewer/core/state/track_rules.h"
#include "viewer/shell/shell.h"

using namespace stepscope;        // NOLINT
using namespace stepscope::test;  // NOLINT

TEST_CASE("the welcome page draws, and opening shows the densest part") {
  ViewerFixture f;
  f.Frame(3);
  CHECK(f.sink.draws == 0);
  f.Open(TrainingTrace());
  CHECK(f.sink.draws > 0);
  CHECK(f.visible() == f.session.profiles[0].trace->first_view);
  CHECK(f.canvas().width > 1000);
  CHECK(f.canvas().rows >= 8);  // previews, streams, nested thread rows
}

TEST_CASE("the viewer settles: nothing animates when nothing changes") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  for (int i = 0; i < 2000 && f.viewer->animating(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // for work in the background
    f.Frame();
  }
  f.Frame(3);
  CHECK_FALSE(f.viewer->animating());
  const uint32_t dirty = f.canvas().dirty_end - f.canvas().dirty_begin;
  CHECK(dirty == 0);  // and nothing is uploaded
}

TEST_CASE("search finds by name, steps through hits and dims the rest") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  f.Push("search.set", {.text = "memcpy", .range = {}, .event = {}, .events = {}});
  for (int i = 0; i < 2000 && f.viewer->animating(); ++i) f.Frame();
  f.Frame(3);
  f.Key(ImGuiKey_F3);
  const EventRef hit = f.viewer->view().selected;
  REQUIRE(hit.valid());
  const TrackSet& set = f.session.profiles[0].trace->set;
  CHECK(set.Name(hit.row) == "MemcpyH2D");
  f.Key(ImGuiKey_F3);
  CHECK(set.Name(f.viewer->view().selected.row) == "MemcpyH2D");
  CHECK(f.viewer->view().selected != hit);
  size_t dim = 0, bright = 0;
  for (uint32_t t : f.canvas().texels) {
    const uint32_t alpha = texel::Alpha(t);
    if ((alpha & texel::kOpaque) == 0) continue;
    ((alpha & texel::kDim) != 0 ? dim : bright) += 1;
  }
  CHECK(dim > 0);
  CHECK(bright > 0);
  CHECK(bright < dim);
}

TEST_CASE("one drag of a range is taken back by one undo, whatever its length") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  const float y = f.canvas().y + 60;
  f.Drag(f.canvas().x + 200, y, f.canvas().x + 700, y, ImGuiMod_Shift);
  f.WaitIdle();
  REQUIRE_FALSE(f.viewer->view().measured.empty());
  f.Push("view.back");
  f.Frame(2);
  CHECK(f.viewer->view().measured.empty());
}

TEST_CASE("undo takes back what was pinned, hidden, moved and marked") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  const auto rules = [&] { return f.viewer->settings().tracks; };
  CommandArgs track;
  track.text = "host|GPU 1";
  for (const CommandId command :
       {CommandId("track.pin"), CommandId("view.toggle_hidden"), CommandId("track.move")}) {
    CAPTURE(command.text());
    const TrackRules before = rules();
    f.Push(command, track);
    f.Frame(2);
    CHECK((rules() != before));
    f.Push("view.back");
    f.Frame(2);
    CHECK((rules() == before));
    f.Push("view.forward");
    f.Frame(2);
    CHECK((rules() != before));
  }
  const std::vector<std::pair<CommandId, CommandArgs>> looks = {
      {"track.rename", {.text = "late one", .paths = {"host|GPU 1"}}},
      {"track.color", {.text = "host|GPU 1", .color = 3}},
      {"track.rows", {.text = "host|GPU 1", .rows = 2}},
      {"track.reset_looks", {}}};
  for (const auto& [command, args] : looks) {
    CAPTURE(command.text());
    const TrackRules before = rules();
    f.Push(command, args);
    const TrackRules after = rules();
    CHECK((after != before));
    f.Push("view.back");
    CHECK((rules() == before));
    f.Push("view.forward");
    CHECK((rules() == after));
  }
  f.Push("mark.add");
  f.Frame(2);
  REQUIRE(f.viewer->view().profiles[0].markers.size() == 1);
  f.Push("view.back");
  f.Frame(2);
  CHECK(f.viewer->view().profiles[0].markers.empty());
}

TEST_CASE("undo takes back hidden lanes, another layout and a swapped baseline") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  f.Open(TrainingTrace());
  const auto state = [&] {
    const TrackArrangement& arrangement = f.viewer->settings();
    return std::pair(arrangement, f.viewer->view().baseline);
  };
  constexpr CommandId kCommands[] = {"view.python_frames", "view.derived_lanes",
                                     "view.waiting_lanes", "compare.layout", "compare.swap"};
  for (const CommandId command : kCommands) {
    CAPTURE(command.text());
    const auto before = state();
    f.Push(command);
    CHECK((state() != before));
    f.Push("view.back");
    CHECK((state() == before));
  }
}

TEST_CASE("a profile that takes the place of another begins without the search for the old one") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  const auto search = [&] {
    f.Push("search.set", {.text = "memcpy", .range = {}, .event = {}, .events = {}});
    f.WaitIdle();
  };
  const auto any_dim = [&] {
    const TexelFrame& frame = f.canvas();
    return std::any_of(frame.lines.begin(), frame.lines.end(), [&](const TexelLine& line) {
      if (line.kind != TexelLine::kSlices) return false;
      const auto row = frame.texels.subspan(size_t{line.row} * frame.width, frame.width);
      return std::any_of(row.begin(), row.end(),
                         [](uint32_t t) { return (texel::Alpha(t) & texel::kDim) != 0; });
    });
  };
  search();
  REQUIRE(any_dim());
  Profile other = f.session.profiles[0];
  other.id = ProfileId(other.id.value + 1);
  f.session.profiles = {other};
  ++f.session.generation;
  f.Frame(3);
  f.WaitIdle();
  CHECK_FALSE(any_dim());
  // A profile that is opened beside it is searched too.
  search();
  REQUIRE(any_dim());
  other.id = ProfileId(other.id.value + 1);
  f.session.profiles.push_back(other);
  ++f.session.generation;
  f.Frame(3);
  f.WaitIdle();
  CHECK(any_dim());
}

// A source whose arguments are not there before the gate opens.
class Gated : public StatSource {
 public:
  explicit Gated(std::shared_future<void> gate) : gate_(std::move(gate)) {}
  Result<std::vector<Stat>> Decode(const Trace&, EventRow) const override {
    gate_.wait();
    return std::vector<Stat>{{"k", int64_t{1}}};
  }
  Result<std::shared_ptr<const StatTable>> LoadTyped(const Trace&, std::stop_token) const override {
    return std::make_shared<const StatTable>();
  }

 private:
  std::shared_future<void> gate_;
};

TEST_CASE("while a search runs nothing moves, so that frames do not take its processor time") {
  std::promise<void> gate;
  TraceMaker maker;
  const PlaneId host = maker.Plane("Host threads", PlaneKind::kHostThreads);
  maker.Track(host, "python3", TrackKind::kThread, {{"train", 0, kPsPerMs}});
  maker.trace().source = std::make_shared<Gated>(gate.get_future().share());
  ViewerFixture f;
  f.Open(maker.Finish());
  f.WaitIdle();
  f.Push("search.set", {.text = "arg.k=1", .range = {}, .event = {}, .events = {}});
  f.Frame(10);
  CHECK(f.viewer->searching());
  CHECK(f.viewer->animating());
  CHECK_FALSE(f.viewer->moving());
  gate.set_value();
  f.WaitIdle();
  CHECK_FALSE(f.viewer->searching());
  f.Key(ImGuiKey_F3);
  CHECK(f.viewer->view().selected.valid());
}

TEST_CASE("search for a whole name leaves out those that only contain it") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  const auto first_hit = [&f](const char* query) {
    f.Push("search.set", {.text = query, .range = {}, .event = {}, .events = {}});
    for (int i = 0; i < 2000 && f.viewer->animating(); ++i) f.Frame();
    f.Frame(3);
    f.Push("select.event");
    f.Key(ImGuiKey_F3);
    const EventRef hit = f.viewer->view().selected;
    return hit.valid() ? std::string(f.session.profiles[0].trace->set.Name(hit.row)) : "none";
  };
  CHECK(first_hit("=train 1") == "train 1");
  CHECK(first_hit("train 1") == "train 1");
  CHECK(first_hit("train") == "train 0");
  CHECK(first_hit("=train") == "none");
}

TEST_CASE("typed characters open search, palette and help; the palette runs a command") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  f.Type(">");
  f.Frame(2);  // the box has the keyboard in the frame after the one it appears in
  f.Type("timing tool");
  f.Key(ImGuiKey_Enter);
  CHECK(f.viewer->view().tool == Tool::kTiming);
  f.Type("/");
  f.Frame(3);
  CHECK(ImGui::GetIO().WantTextInput);
  f.Type("w");  // types, and does not zoom
  CHECK(f.visible() == f.session.profiles[0].trace->first_view);
}

TEST_CASE("Escape while loading cancels it") {
  ViewerFixture f;
  f.session.loading = LoadingView{"/tmp/x", "Reading", 1.0, 10, 100, 5};
  f.Frame(2);
  f.Key(ImGuiKey_Escape);
  CHECK(f.services.cancelled == 1);
}

TEST_CASE("a closed run takes selection and highlight with it") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  f.viewer->SelectByName("sgemm");
  f.Frame(3);
  REQUIRE(f.viewer->view().selected.valid());
  f.session.profiles.clear();
  ++f.session.generation;
  f.Frame(3);
  CHECK_FALSE(f.viewer->view().selected.valid());
  CHECK(f.viewer->view().profiles.empty());
}

TEST_CASE("two profiles are drawn one below the other and zoom together") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  f.Open(TrainingTrace());
  REQUIRE(f.viewer->view().profiles.size() == 2);
  const TimeRange whole = f.visible();
  f.Key(ImGuiKey_W);
  CHECK(f.visible().length() < whole.length());
  for (const ProfileViewState& profile : f.viewer->view().profiles)
    CHECK(f.viewer->view().VisibleIn(profile.profile) == f.visible());
}

TEST_CASE("themes, sizes and panels all draw at small and large windows") {
  for (const char* theme : {"dark", "light", "colour-blind", "high contrast"}) {
    for (const ImVec2 size : {ImVec2(1920, 1080), ImVec2(1280, 800), ImVec2(320, 200)}) {
      ViewerFixture f(size, std::string("theme = ") + theme + "\nscale = 1.5\n");
      f.Open(TrainingTrace());
      for (const PanelDesc& panel : Panels()) {
        CHECK(f.viewer->ShowPanel(panel.id));
        f.Frame(3);
      }
      f.Push("app.help");
      f.Push("app.settings");
      f.Frame(3);
      CHECK(ImGui::GetDrawData()->TotalVtxCount > 0);
    }
  }
}

TEST_CASE("the theme of the system is dark until the desktop says light; a choice stays") {
  ViewerFixture f;
  f.Frame(2);
  const auto light = [] { return ImGui::GetStyle().Colors[ImGuiCol_Text].x < 0.5f; };
  CHECK_FALSE(light());
  f.Push("view.desktop_theme", {.text = "light"});
  CHECK(light());
  f.Push("view.next_theme");
  f.Frame(2);
  CHECK_FALSE(light());
  CHECK(f.viewer->settings().theme == ThemeChoice::kDark);
}

TEST_CASE("one track alone, and all events of a track") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  const Trace& trace = *f.session.profiles[0].trace;
  const std::string path = TrackPath(trace, trace.set, TrackId(1));
  const auto only = [&] { return f.viewer->view().profiles[0].only; };
  f.Push("track.only", {.text = path});
  CHECK(only() == TrackRules::Paths{path});
  f.Push("track.only", {.text = path});
  CHECK(only().empty());
  f.Push("track.only", {.text = PlanePath(trace, PlaneId(0))});
  CHECK(only().size() == trace.planes[0].tracks.size());
  f.Push("track.select", {.text = path});
  CHECK(f.viewer->view().shown.size() == trace.set.tracks[1].events);
}

TEST_CASE("an unknown panel changes nothing") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  CHECK_FALSE(f.viewer->ShowPanel("no_such_panel"));
}

TEST_CASE("the default layout's text holds the timeline and every panel") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  f.Frame(6);
  const std::string ini = f.viewer->DefaultLayoutIni();
  // Dear ImGui writes the part of a window's name after its ###.
  CHECK(ini.find("[Window][timeline]") != std::string::npos);
  for (const PanelDesc& panel : Panels()) {
    CHECK(ini.find("[Window][panel_" + std::string(panel.id) + "]") != std::string::npos);
  }
}

TEST_CASE("Overview lies in front, and the panels keep their share when the window grows") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  f.Frame(6);
  const auto window = [](const char* id) {
    return ImGui::FindWindowByName(PanelWindowName(*FindPanel(id)).c_str());
  };
  REQUIRE(window("overview") != nullptr);
  CHECK(bool{window("overview")->DockTabIsVisible});
  CHECK_FALSE(bool{window("diagnostics")->DockTabIsVisible});
  const float share = window("overview")->Size.y / 1080;
  CHECK(share > 0.3f);
  CHECK(share < 0.66f);  // few rows leave room to the panels
  ImGui::GetIO().DisplaySize = {2560, 1440};
  f.Frame(4);
  CHECK(window("overview")->Size.y / 1440 == doctest::Approx(share).epsilon(0.05));
  f.Key(ImGuiKey_T);  // the panels have two thirds already
  f.Frame(4);
  CHECK(window("overview")->Size.y / 1440 < 0.45f);
  f.Key(ImGuiKey_T);
  f.Frame(4);
  CHECK(window("overview")->Size.y / 1440 == doctest::Approx(share).epsilon(0.05));
}

TEST_CASE("events that do not exist are not shown, and NaN and infinite numbers are harmless") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  CommandArgs args;
  for (const auto& [set, row] : {std::pair{9u, 1u}, {0u, 4'000'000u}, {1u, 4'000'000u}})
    args.events.push_back({ProfileId(), set, EventRow(row)});
  f.Push("select.show_events", args);
  f.Push("select.events", args);
  CHECK(f.viewer->view().shown.empty());
  args.events.push_back({ProfileId(0), 0, EventRow(3)});
  f.Push("select.show_events", args);
  CHECK(f.viewer->view().shown.size() == 1);
  f.Push("view.python_frames");
  f.Frame(3);
  CommandArgs odd;
  for (const double number : {std::nan(""), 1e300, -1e300, HUGE_VAL}) {
    odd.pixels = number;
    f.Push("view.scroll", odd);
    CHECK(f.viewer->view().scroll_y >= 0);
    CHECK(f.viewer->view().scroll_y < 1e6);
  }
}

TEST_CASE("N and Shift+N go through the events that a table shows") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  CommandArgs args;
  for (uint32_t row : {3u, 5u, 8u}) args.events.push_back({ProfileId(0), 0, EventRow(row)});
  f.Push("select.show_events", args);
  CHECK(f.viewer->view().selected.row == EventRow(3));
  f.Key(ImGuiKey_N);
  CHECK(f.viewer->view().selected.row == EventRow(5));
  f.Key(ImGuiKey_N);
  f.Key(ImGuiKey_N);
  CHECK(f.viewer->view().selected.row == EventRow(3));  // around
  f.Key(ImGuiKey_N, ImGuiMod_Shift);
  CHECK(f.viewer->view().selected.row == EventRow(8));
  f.Key(ImGuiKey_Escape);
  CHECK(f.viewer->view().shown.empty());
}

TEST_CASE("a picture is taken once menus have had time to close") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  CommandArgs args;
  args.text = "chart.png 10 20 300 200";
  f.viewer->commands().Push("app.save_picture", args);
  f.Frame();
  PictureRequest picture;
  CHECK_FALSE(f.viewer->TakePicture(&picture));
  f.Frame(2);
  REQUIRE(f.viewer->TakePicture(&picture));
  CHECK(picture.name == "chart.png");
  CHECK(picture.width == 300);
  CHECK_FALSE(f.viewer->TakePicture(&picture));
}
