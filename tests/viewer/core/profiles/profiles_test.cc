// Several profiles in one list: each has its own host and folds, and panels can be pinned to one.
#include <doctest/doctest.h>
#include <imgui_internal.h>

#include "loaders/loader.h"
#include "model/analysis/analysis.h"
#include "tests/support/source_paths.h"
#include "tests/viewer/viewer_fixture.h"
#include "viewer/core/panel.h"
#include "viewer/core/profiles/profile.h"
#include "viewer/core/profiles/step_markers.h"
#include "viewer/core/state/track_rules.h"

using namespace stepscope;        // NOLINT
using namespace stepscope::test;  // NOLINT

namespace {

std::shared_ptr<const Trace> TwoHosts() {
  TraceMaker maker(2);
  for (int host = 0; host < 2; ++host) {
    const PlaneId plane = maker.Plane("Host threads", PlaneKind::kHostThreads, host);
    for (int i = 0; i < 40; ++i) {
      maker.Track(plane, "thread " + std::to_string(i), TrackKind::kThread,
                  {{"train 0", 0, 5 * kPsPerMs}, {"train 1", 5 * kPsPerMs, 5 * kPsPerMs}});
    }
  }
  return maker.Finish();
}

struct TwoProfiles : ViewerFixture {
  // A low window: the profiles' tracks are higher, whatever else is shown.
  explicit TwoProfiles(float height = 360) : ViewerFixture(ImVec2(900, height)) {
    Open(TwoHosts());
    Open(TwoHosts());
    // Profiles beside each other show only their busiest tracks at first.
    Push("track.only_selected", Of(first));
    Push("track.only_selected", Of(second));
    Frame(2);
  }
  static CommandArgs Of(ProfileId profile, const std::string& text = {}, double pixels = 0) {
    CommandArgs args;
    args.profile = profile;
    args.text = text;
    args.pixels = pixels;
    return args;
  }
  const ProfileViewState& State(ProfileId profile) const { return *viewer->view().Find(profile); }
  bool HasWindow(const std::string& name) {
    const ImGuiWindow* window = ImGui::FindWindowByName(name.c_str());
    return window != nullptr && window->WasActive;
  }
  ProfileId first{0}, second{1};
};

}  // namespace

TEST_CASE("profiles: a command changes only the profile that it names, or the active one") {
  TwoProfiles f;
  REQUIRE(f.viewer->view().active == f.first);
  f.Push("host.choose", TwoProfiles::Of(f.second, "host-1"));
  CHECK(f.State(f.first).host.empty());
  CHECK(f.State(f.second).host == "host-1");

  const std::string plane = PlanePath(*f.session.profiles[1].trace, PlaneId(0));
  f.Push("view.toggle_collapse", TwoProfiles::Of(f.second, plane));
  CHECK(f.State(f.first).collapsed.empty());
  CHECK(f.State(f.second).collapsed.contains(plane));
  f.Push("view.collapse_all", TwoProfiles::Of(f.second));
  CHECK(f.State(f.first).collapsed.empty());
  CHECK(f.State(f.second).collapsed.size() == 2);
  f.Push("view.expand_all", TwoProfiles::Of(f.second));
  CHECK(f.State(f.second).collapsed.empty());
}

TEST_CASE("profiles: their tracks scroll as one list, whichever is active") {
  TwoProfiles f;
  const auto scroll = [&] { return f.viewer->view().scroll_y; };
  f.Push("view.scroll", TwoProfiles::Of(ProfileId(), {}, 15));
  CHECK(scroll() == 15);  // less than the height of the heading at the top
  f.Push("view.scroll", TwoProfiles::Of(f.second, {}, 45));
  CHECK(scroll() == 60);
  f.Push("run.activate", TwoProfiles::Of(f.second));
  f.Frame(2);
  CHECK(scroll() == 60);
  f.session.profiles.clear();
  ++f.session.generation;
  f.Frame(2);
  f.Open(TwoHosts());
  CHECK(scroll() == 0);
}

TEST_CASE("profiles: a click on the timeline means the profile under the mouse") {
  TwoProfiles f(800);
  f.Push("view.scroll", TwoProfiles::Of(ProfileId(), {}, 1e6));  // to the end of the second profile
  f.Frame(2);
  const double scroll = f.viewer->view().scroll_y;
  REQUIRE(scroll > 0);
  REQUIRE(f.viewer->view().active == f.first);
  const float heading = 22, left = f.canvas().x - 150, top = f.canvas().y + heading / 2;
  const float below = f.canvas().y + 4 * heading;  // the headings that stay on top
  REQUIRE(f.canvas().lines.size() > 5 * static_cast<size_t>(heading));
  bool selected = false;  // it may be a gap between tracks
  for (float y = below; y < below + heading && !selected; y += 4) {
    f.Click(f.canvas().x + 100, y);
    selected = f.viewer->view().selected.valid();
  }
  CHECK(f.viewer->view().selected.trace == f.second);
  CHECK(f.viewer->view().active == f.second);
  CHECK(f.viewer->view().scroll_y == scroll);

  f.Push("run.activate", TwoProfiles::Of(f.first));
  f.Click(left, below);  // the name of a track, which cannot be folded
  CHECK(f.viewer->view().active == f.second);
  CHECK(f.viewer->view().scroll_y == scroll);

  f.Push("run.activate", TwoProfiles::Of(f.first));
  f.Click(left, top);  // the profile's heading, which stays on top
  CHECK(f.viewer->view().active == f.second);
  CHECK(f.State(f.second).collapsed.empty());

  f.Push("run.activate", TwoProfiles::Of(f.first));
  f.Click(left, top + 2 * heading);  // the plane's heading
  CHECK(f.viewer->view().active == f.second);
  CHECK(f.State(f.first).collapsed.empty());
  CHECK(f.State(f.second).collapsed.size() == 1);

  f.Push("view.scroll", TwoProfiles::Of(ProfileId(), {}, -1e6));
  f.Frame(2);
  f.Click(left, top);  // the first profile's heading
  CHECK(f.viewer->view().active == f.first);
  CHECK(f.State(f.first).collapsed.empty());
}

TEST_CASE("profiles: the active one is chosen by its id; the id of a closed one does nothing") {
  TwoProfiles f;
  f.Push("run.activate", TwoProfiles::Of(f.second));
  CHECK(f.viewer->view().active == f.second);
  f.Push("run.activate", TwoProfiles::Of(ProfileId(99)));
  CHECK(f.viewer->view().active == f.second);
  f.session.profiles.erase(f.session.profiles.begin());
  ++f.session.generation;
  const TimeRange visible = f.visible();
  f.Frame(3);
  CHECK(f.viewer->view().active == f.second);
  CHECK(f.visible() == visible);
  CHECK(f.viewer->view().Find(f.first) == nullptr);
}

TEST_CASE("profiles: all share one axis; one opened instead of them begins at its first view") {
  TwoProfiles f;
  CommandArgs range = TwoProfiles::Of(f.second);
  range.range = {kPsPerMs, 2 * kPsPerMs};
  f.Push("view.set_range", range);
  CHECK(f.viewer->view().VisibleIn(f.first) == range.range);
  CHECK(f.viewer->view().VisibleIn(f.second) == range.range);
  CHECK(f.viewer->view().VisibleIn(ProfileId(99)).empty());
  f.session.profiles.clear();
  ++f.session.generation;
  f.Frame(2);
  CHECK(f.visible().empty());
  f.Open(TrainingTrace());
  CHECK(f.visible() == f.session.profiles[0].trace->first_view);
}

TEST_CASE("panels: one can be opened twice, and each window shows its profile") {
  TwoProfiles f;
  f.Push("panel.duplicate", TwoProfiles::Of(f.second, "kernel_stats"));
  f.Frame(3);
  CHECK(f.HasWindow("Kernels###panel_kernel_stats"));
  CHECK(f.HasWindow("Kernels \u00b7 run###panel_kernel_stats@1"));
  // Without arguments: the panel shown last, for the active profile.
  f.viewer->ShowPanel("memory");
  f.Push("panel.duplicate");
  f.Frame(3);
  CHECK(f.HasWindow("Memory \u00b7 run###panel_memory@0"));
  f.Push("panel.toggle", TwoProfiles::Of(f.first, "memory"));
  f.Frame(3);
  CHECK_FALSE(f.HasWindow("Memory \u00b7 run###panel_memory@0"));
  CHECK(f.HasWindow("Memory###panel_memory"));
  // A pinned window closes with its profile.
  f.session.profiles.pop_back();
  ++f.session.generation;
  f.Frame(3);
  CHECK_FALSE(f.HasWindow("Kernels \u00b7 run###panel_kernel_stats@1"));
  CHECK(f.HasWindow("Kernels###panel_kernel_stats"));
}

TEST_CASE("profiles: a job takes the steps from the overview") {
  ViewerFixture f;
  Progress progress;
  auto trace = LoadPath(test::SourcePath("tests/data/jax_cpu.xplane.pb.zst"), {}, {}, progress);
  REQUIRE(trace.ok());
  Profile profile;
  profile.id = ProfileId(4);
  profile.trace = *trace;
  profile.analysis = std::make_shared<AnalysisContext>(profile.trace, Definitions::kStepscope);
  const std::vector<StepMarker> steps = StepMarkers(profile.analysis->Get<StepDatabase>());
  REQUIRE(steps.size() == 20);
  f.session.profiles = {profile};
  ++f.session.generation;
  f.Frame(4);
  f.WaitIdle();
  f.Push("view.set_range", [&] {
    CommandArgs args;
    args.range = steps[5].range;
    return args;
  }());
  f.Push("go.next_step");
  const TimeRange next = f.visible();
  CHECK(next.begin <= steps[6].range.begin);
  CHECK(next.end >= steps[6].range.end);
  CHECK(next.length() < 2 * steps[6].range.length());
  f.Push("go.previous_step", TwoProfiles::Of(profile.id));
  CHECK(f.visible().begin < next.begin);
}

TEST_CASE("profiles: one can be closed while its analyses run") {
  ViewerFixture f;
  for (int i = 0; i < 5; ++i) {
    Profile profile;
    profile.id = ProfileId(static_cast<uint32_t>(i));
    profile.trace = TrainingTrace();
    profile.analysis = std::make_shared<AnalysisContext>(profile.trace, Definitions::kStepscope);
    const std::weak_ptr<AnalysisContext> context = profile.analysis;
    f.session.profiles = {profile};
    profile = {};
    ++f.session.generation;
    f.Frame(1 + i);
    f.session.profiles.clear();
    ++f.session.generation;
    f.Frame(2);
    CHECK_FALSE(f.viewer->view().active.valid());
    f.WaitIdle();
    CHECK_FALSE(f.viewer->animating());
    for (int wait = 0; wait < 5000 && !context.expired(); ++wait) f.Frame();
    CHECK(context.expired());
  }
}
