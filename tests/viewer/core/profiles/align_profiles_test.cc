// Two profiles on one axis.
#include "viewer/core/profiles/align_profiles.h"

#include <doctest/doctest.h>
#include <imgui_internal.h>

#include "loaders/loader.h"
#include "model/analysis/analysis.h"
#include "tests/support/memory_snapshot.h"
#include "tests/viewer/viewer_fixture.h"
#include "viewer/core/state/track_rules.h"

using namespace stepscope;        // NOLINT
using namespace stepscope::test;  // NOLINT

namespace {

// Steps of one length from `begin` on, numbered from `number`; the first is warm-up.
Profile WithSteps(uint32_t id, int64_t number, Ps begin, Ps length, int count) {
  auto steps = std::make_shared<std::vector<StepMarker>>();
  for (int i = 0; i < count; ++i) {
    steps->push_back({std::to_string(number + i),
                      {begin + i * length, begin + (i + 1) * length},
                      number + i,
                      i > 0});
  }
  Profile profile;
  profile.id = ProfileId(id);
  profile.trace = TrainingTrace();
  profile.steps = std::move(steps);
  return profile;
}

struct Two {
  Two(Profile a, Profile b) : profiles{std::move(a), std::move(b)} {
    for (const Profile& profile : profiles) {
      ProfileViewState state;
      state.profile = profile.id;
      view.profiles.push_back(state);
    }
    view.baseline = profiles[0].id;
    view.active = profiles[1].id;
  }
  // The time of A at a time of B.
  Ps InA(Ps b) const { return view.profiles[0].map.ToTrace(view.profiles[1].map.ToShared(b)); }
  std::vector<Profile> profiles;
  ViewState view;
};

}  // namespace

TEST_CASE("the first steps that count are aligned once") {
  Two two(WithSteps(0, 0, 1000, 100, 5), WithSteps(1, 40, 7000, 120, 5));
  AlignByItself(two.profiles, &two.view);
  CHECK(two.InA(7120) == 1100);
  CHECK(two.view.profiles[0].map == TimeMap{});
  two.view.profiles[1].map.offset = 5;
  AlignByItself(two.profiles, &two.view);
  CHECK(two.view.profiles[1].map.offset == 5);
}

TEST_CASE("the step in view is aligned with the one of the same number") {
  Two two(WithSteps(0, 3, 1000, 100, 5), WithSteps(1, 5, 7000, 120, 5));
  REQUIRE(AlignBySteps(two.profiles[0], two.view.profiles[0], 1350, two.profiles[1],
                       &two.view.profiles[1]));
  CHECK(two.InA(7120) == 1300);  // both have a step 6
  REQUIRE(AlignBySteps(two.profiles[0], two.view.profiles[0], 1050, two.profiles[1],
                       &two.view.profiles[1]));
  CHECK(two.InA(7120) == 1100);  // B has no step 3: the first steps that count
}

TEST_CASE("a memory snapshot and a trace are aligned by their clocks") {
  const auto load = [](const char* name, const std::string& bytes) {
    const auto trace = LoadBytes(name, bytes, {});
    REQUIRE_MESSAGE(trace.ok(), trace.status().message());
    return *trace;
  };
  // The trace's ops are at 1,000,000 s and 10 us, the snapshot's events from 4 us later on.
  const auto trace =
      load("t.json", R"({"baseTimeNanoseconds":1000000000000000,"traceEvents":[)"
                     R"({"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":10,)"
                     R"("dur":20,"args":{}}]})");
  test::SnapshotFile file;
  const auto snapshot = [&](int64_t time_us) {
    file.devices = {{{"alloc", 1 << 20, 512, time_us}, {"alloc", 2 << 20, 512, time_us + 5}}};
    return load("a.pickle", test::ToPickle(file));
  };
  Two two(WithSteps(0, 0, 1000, 100, 5), WithSteps(1, 0, 7000, 120, 5));
  two.profiles[0].trace = trace;
  two.profiles[1].trace = snapshot(1'000'000'000'014);
  AlignByItself(two.profiles, &two.view);
  const Ps begin = trace->span.begin;
  CHECK(two.InA(0) == begin + 4 * kPsPerUs);
  CHECK(two.view.profiles[1].aligned);
  // Recorded at another time: aligned by steps.
  two.view.profiles[1] = {};
  two.view.profiles[1].profile = two.profiles[1].id;
  two.profiles[1].trace = snapshot(2'000'000'000'014);
  CHECK_FALSE(
      AlignByClock(two.profiles[0], two.view.profiles[0], two.profiles[1], &two.view.profiles[1]));
}

TEST_CASE("a snapshot and a trace whose clocks do not meet are said to be apart") {
  const auto load = [](const char* name, const std::string& bytes) {
    const auto trace = LoadBytes(name, bytes, {});
    REQUIRE_MESSAGE(trace.ok(), trace.status().message());
    return *trace;
  };
  const auto trace = [&](const std::string& base) {
    const std::string time = base.empty() ? "" : "\"baseTimeNanoseconds\":" + base + ",";
    return load("t.json", "{" + time +
                              R"("traceEvents":[{"ph":"X","cat":"cpu_op",)"
                              R"("name":"aten::mm","pid":1,"tid":1,"ts":10,"dur":20,"args":{}}]})");
  };
  const auto apart = [&](int64_t time_us, const std::string& base) {
    test::SnapshotFile file;
    file.devices = {{{"alloc", 1 << 20, 512, time_us}, {"alloc", 2 << 20, 512, time_us + 5}}};
    Profile a, b;
    a.id = ProfileId(0);
    a.trace = trace(base);
    b.id = ProfileId(1);
    b.trace = load("a.pickle", test::ToPickle(file));
    Two two(a, b);
    AlignByItself(two.profiles, &two.view);
    const std::string why = WhyApart(two.profiles, two.view);
    two.view.profiles[1].aligned = true;  // as the user's own alignment does
    CHECK(WhyApart(two.profiles, two.view).empty());
    return why;
  };
  const std::string base = "1000000000000000";  // 1,000,000 s
  const std::string meaning = " What is drawn at one place did not happen at one time.";
  CHECK(apart(1'000'000'000'014, base).empty());
  CHECK(apart(1'000'010'000'030, base) ==
        "By their clocks the snapshot was recorded 10.0 s after the trace." + meaning);
  CHECK(apart(400'000'000'000, base) ==
        "By their clocks the snapshot was recorded 6 days before the trace." + meaning);
  CHECK(apart(1'000'000'000'014, "") == "The trace does not say when it was recorded." + meaning);
  // Two traces may be of any times.
  Two traces(WithSteps(0, 0, 1000, 100, 5), WithSteps(1, 0, 7000, 120, 5));
  CHECK(WhyApart(traces.profiles, traces.view).empty());
}

TEST_CASE("steps are stretched to the same length") {
  Two two(WithSteps(0, 0, 1000, 100, 5), WithSteps(1, 0, 7000, 120, 5));
  REQUIRE(StretchToSteps(two.profiles[0], two.view.profiles[0], two.profiles[1],
                         &two.view.profiles[1]));
  CHECK(two.InA(7000) == 1000);
  CHECK(two.InA(7360) == 1300);
}

TEST_CASE("the compared profile is the active one, or the other one if the baseline is active") {
  Two two(WithSteps(0, 0, 1000, 100, 5), WithSteps(1, 0, 7000, 120, 5));
  CHECK(FindComparedProfile(two.profiles, two.view)->id == ProfileId(1));
  two.view.active = ProfileId(0);
  CHECK(FindComparedProfile(two.profiles, two.view)->id == ProfileId(1));
  two.view.baseline = ProfileId(1);
  CHECK(FindComparedProfile(two.profiles, two.view)->id == ProfileId(0));
  two.view.baseline = {};
  CHECK(FindComparedProfile(two.profiles, two.view) == nullptr);
}

TEST_CASE("two profiles in one list show the busiest tracks of the busiest device only") {
  const auto trace = TrainingTrace();
  const TrackRules::Paths shown = BusiestTracks(*trace);
  REQUIRE(shown.size() == 2);
  for (const std::string& path : shown) CHECK(path.starts_with("host-0|/device:GPU:0|Stream"));
  TraceMaker maker;
  maker.Plane("/device:GPU:0", PlaneKind::kGpu);  // without work
  const PlaneId host = maker.Plane("Host", PlaneKind::kHostThreads);
  for (Ps i = 1; i <= 9; ++i)
    maker.Track(host, "thread " + std::to_string(i), TrackKind::kThread, {{"f", 0, i * kPsPerMs}});
  const auto threads = maker.Finish();
  CHECK(BusiestTracks(*threads).size() == 4);
}

TEST_CASE("a second profile makes the first the baseline, which can be swapped") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  CHECK_FALSE(f.viewer->view().baseline.valid());
  f.Open(TrainingTrace());
  CHECK(f.viewer->view().baseline == ProfileId(0));
  CHECK(f.viewer->view().active == ProfileId(0));
  CHECK(f.viewer->view().profiles[1].only.size() == 2);
  f.Push("compare.swap");
  f.Frame(2);
  CHECK(f.viewer->view().baseline == ProfileId(1));
  CHECK(f.viewer->view().active == ProfileId(0));
}

TEST_CASE("a snapshot beside a trace lies below it with its panel in front, and compares nothing") {
  test::SnapshotFile file;
  file.devices = {{{"alloc", 1 << 20, 512, 14}, {"alloc", 2 << 20, 512, 19}}};
  const auto snapshot = LoadBytes("a.pickle", test::ToPickle(file), {});
  REQUIRE(snapshot.ok());
  ViewerFixture f;
  f.Open(TrainingTrace());
  f.Open(*snapshot);
  f.Frame(4);
  const ViewState& view = f.viewer->view();
  CHECK(view.active == ProfileId(0));
  CHECK(view.baseline == ProfileId(0));
  CHECK_FALSE(view.Find(ProfileId(0))->only.empty());
  CHECK(view.Find(ProfileId(1))->only.empty());
  const auto has = [](const char* name) {
    const ImGuiWindow* window = ImGui::FindWindowByName(name);
    return window != nullptr && window->WasActive;
  };
  CHECK(has("###panel_memory_snapshot"));
  CHECK_FALSE(has("###panel_compare"));
}

// Two training traces with steps.
void OpenTwo(ViewerFixture& f) {
  f.Open(TrainingTrace());
  f.Open(TrainingTrace());
  for (Profile& profile : f.session.profiles)
    profile.analysis = std::make_shared<AnalysisContext>(profile.trace, Definitions::kStepscope);
  ++f.session.generation;
  f.WaitIdle();
}

TEST_CASE("the first view of a comparison spans both profiles until the user zooms") {
  TraceMaker longer;
  longer.Track(longer.Plane("/device:GPU:0", PlaneKind::kGpu), "Stream", TrackKind::kStream,
               {{"gemm", 0, 40 * kPsPerMs}});
  const auto b = longer.Finish();
  ViewerFixture f;
  f.Open(TrainingTrace());
  f.Open(b);
  CHECK(f.visible().begin <= 0);
  CHECK(f.visible().end >= 40 * kPsPerMs);
  ViewerFixture zoomed;
  zoomed.Open(TrainingTrace());
  zoomed.Key(ImGuiKey_W);
  const TimeRange before = zoomed.visible();
  zoomed.Open(b);
  CHECK(zoomed.visible() == before);
}

TEST_CASE("an event on a hidden track is shown with its track, whatever the layout") {
  ViewerFixture f;
  OpenTwo(f);
  const auto only = [&] { return f.viewer->view().Find(ProfileId(0))->only; };
  const TrackRules::Paths busiest = only();
  REQUIRE_FALSE(busiest.empty());
  const TrackSet& set = f.session.profiles[0].trace->set;
  EventRef host{ProfileId(0), 0, EventRow()};
  for (const Lane& lane : set.lanes)
    if (set.tracks[lane.track.value].kind == TrackKind::kThread)
      host.row = EventRow(lane.first_row);
  f.Push("select.show_events", {.events = {host}});
  CHECK(only().size() == busiest.size() + 1);
  const TrackRules::Paths shown = only();
  f.Push("compare.layout");
  CHECK(only().empty());
  f.Push("compare.layout");
  f.Push("compare.layout");
  CHECK(only() == shown);
  // Tracks that the user let go do not come back.
  f.Push("track.only_selected");
  for (int i = 0; i < 3; ++i) f.Push("compare.layout");
  CHECK(only().empty());
}

TEST_CASE("the window comes to rest after a compared profile is closed") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  f.Open(TrainingTrace());
  for (Profile& profile : f.session.profiles)
    profile.analysis = std::make_shared<AnalysisContext>(profile.trace, Definitions::kStepscope);
  ++f.session.generation;
  CommandArgs panel;
  panel.text = "compare";
  f.Push("panel.show", panel);
  f.Frame(4);  // the comparison has begun
  f.session.profiles.pop_back();
  ++f.session.generation;
  f.WaitIdle();
  CHECK(f.viewer->BusyWith().empty());
}
