// Several runs in one list: each has its own host and folds, and panels can stay with one of them.
#include <doctest/doctest.h>
#include <imgui_internal.h>

#include "loaders/loader.h"
#include "model/analysis/analysis.h"
#include "tests/viewer/viewer_fixture.h"
#include "viewer/core/panel.h"
#include "viewer/core/run.h"
#include "viewer/core/step_markers.h"
#include "viewer/core/track_path.h"

using namespace stepscope;           // NOLINT
using namespace stepscope::testing;  // NOLINT

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

struct TwoRuns : ViewerFixture {
  // Low: the runs are higher than the window whatever else is shown.
  explicit TwoRuns(float height = 360) : ViewerFixture(ImVec2(900, height)) {
    Open(TwoHosts());
    Open(TwoHosts());
    // Beside each other only the busiest tracks are shown at first.
    Push("track.only_selected", Of(first));
    Push("track.only_selected", Of(second));
    Frame(2);
  }
  static CommandArgs Of(TraceId run, const std::string& text = {}, double number = 0) {
    CommandArgs args;
    args.run = run;
    args.text = text;
    args.number = number;
    return args;
  }
  const RunState& State(TraceId run) const { return *viewer->view().Find(run); }
  bool HasWindow(const std::string& name) {
    const ImGuiWindow* window = ImGui::FindWindowByName(name.c_str());
    return window != nullptr && window->WasActive;
  }
  TraceId first{0}, second{1};
};

}  // namespace

TEST_CASE("runs: a command changes the run that it names and no other, the active one by default") {
  TwoRuns f;
  REQUIRE(f.viewer->view().active == f.first);
  f.Push("host.choose", TwoRuns::Of(f.second, "host-1"));
  CHECK(f.State(f.first).host.empty());
  CHECK(f.State(f.second).host == "host-1");

  const std::string plane = PlanePath(*f.session.runs[1].trace, PlaneId(0));
  f.Push("view.toggle_collapse", TwoRuns::Of(f.second, plane));
  CHECK(f.State(f.first).collapsed.empty());
  CHECK(f.State(f.second).collapsed.contains(plane));
  f.Push("view.collapse_all", TwoRuns::Of(f.second));
  CHECK(f.State(f.first).collapsed.empty());
  CHECK(f.State(f.second).collapsed.size() == 2);
  f.Push("view.expand_all", TwoRuns::Of(f.second));
  CHECK(f.State(f.second).collapsed.empty());
}

TEST_CASE("runs: their tracks scroll as one list, whichever is active") {
  TwoRuns f;
  const auto scroll = [&] { return f.viewer->view().scroll_y; };
  f.Push("view.scroll", TwoRuns::Of(TraceId(), {}, 15));
  CHECK(scroll() == 15);  // by less than the heading at the top is high
  f.Push("view.scroll", TwoRuns::Of(f.second, {}, 45));
  CHECK(scroll() == 60);
  f.Push("run.activate", TwoRuns::Of(f.second));
  f.Frame(2);
  CHECK(scroll() == 60);
  f.session.runs.clear();
  ++f.session.generation;
  f.Frame(2);
  f.Open(TwoHosts());
  CHECK(scroll() == 0);
}

TEST_CASE("runs: what is clicked on the timeline is of the run under the mouse") {
  TwoRuns f(800);
  f.Push("view.scroll", TwoRuns::Of(TraceId(), {}, 1e6));  // to the end of the second run
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

  f.Push("run.activate", TwoRuns::Of(f.first));
  f.Click(left, below);  // the name of a track, which cannot be folded
  CHECK(f.viewer->view().active == f.second);
  CHECK(f.viewer->view().scroll_y == scroll);

  f.Push("run.activate", TwoRuns::Of(f.first));
  f.Click(left, top);  // the heading of the run, which stays on top
  CHECK(f.viewer->view().active == f.second);
  CHECK(f.State(f.second).collapsed.empty());

  f.Push("run.activate", TwoRuns::Of(f.first));
  f.Click(left, top + 2 * heading);  // that of the plane
  CHECK(f.viewer->view().active == f.second);
  CHECK(f.State(f.first).collapsed.empty());
  CHECK(f.State(f.second).collapsed.size() == 1);

  f.Push("view.scroll", TwoRuns::Of(TraceId(), {}, -1e6));
  f.Frame(2);
  f.Click(left, top);  // the first run's own heading
  CHECK(f.viewer->view().active == f.first);
  CHECK(f.State(f.first).collapsed.empty());
}

TEST_CASE("runs: the active one is chosen by its id, and one that is gone by none") {
  TwoRuns f;
  f.Push("run.activate", TwoRuns::Of(f.second));
  CHECK(f.viewer->view().active == f.second);
  f.Push("run.activate", TwoRuns::Of(TraceId(99)));
  CHECK(f.viewer->view().active == f.second);
  f.session.runs.erase(f.session.runs.begin());
  ++f.session.generation;
  const TimeRange visible = f.visible();
  f.Frame(3);
  CHECK(f.viewer->view().active == f.second);
  CHECK(f.visible() == visible);
  CHECK(f.viewer->view().Find(f.first) == nullptr);
}

TEST_CASE("runs: all are shown on one axis; what is opened instead is shown from its first view") {
  TwoRuns f;
  CommandArgs range = TwoRuns::Of(f.second);
  range.range = {kPsPerMs, 2 * kPsPerMs};
  f.Push("view.set_range", range);
  CHECK(f.viewer->view().VisibleIn(f.first) == range.range);
  CHECK(f.viewer->view().VisibleIn(f.second) == range.range);
  CHECK(f.viewer->view().VisibleIn(TraceId(99)).empty());
  f.session.runs.clear();
  ++f.session.generation;
  f.Frame(2);
  CHECK(f.visible().empty());
  f.Open(TrainingTrace());
  CHECK(f.visible() == f.session.runs[0].trace->first_view);
}

TEST_CASE("panels: one can be opened twice, and each shows its run") {
  TwoRuns f;
  f.Push("panel.duplicate", TwoRuns::Of(f.second, "kernel_stats"));
  f.Frame(3);
  CHECK(f.HasWindow("Kernels###panel_kernel_stats"));
  CHECK(f.HasWindow("Kernels \u00b7 run###panel_kernel_stats@1"));
  // Without names: the panel shown last, for the active run.
  f.viewer->ShowPanel("memory");
  f.Push("panel.duplicate");
  f.Frame(3);
  CHECK(f.HasWindow("Memory \u00b7 run###panel_memory@0"));
  f.Push("panel.toggle", TwoRuns::Of(f.first, "memory"));
  f.Frame(3);
  CHECK_FALSE(f.HasWindow("Memory \u00b7 run###panel_memory@0"));
  CHECK(f.HasWindow("Memory###panel_memory"));
  // A panel goes with its run.
  f.session.runs.pop_back();
  ++f.session.generation;
  f.Frame(3);
  CHECK_FALSE(f.HasWindow("Kernels \u00b7 run###panel_kernel_stats@1"));
  CHECK(f.HasWindow("Kernels###panel_kernel_stats"));
}

TEST_CASE("runs: steps are those of the overview, taken beside the frames") {
  ViewerFixture f;
  Progress progress;
  auto trace = LoadPath(STEPSCOPE_SOURCE_DIR "/tests/data/jax_cpu.xplane.pb.zst", {}, {}, progress);
  REQUIRE(trace.ok());
  Run run;
  run.id = TraceId(4);
  run.trace = *trace;
  run.analysis = std::make_shared<AnalysisContext>(run.trace, Definitions::kStepscope);
  const AnalysisResult overview = FindAnalysis("overview")->run(*run.analysis, {}, {});
  const std::vector<StepMarker> steps = StepMarkers(*overview.Table("steps"));
  REQUIRE(steps.size() == 20);
  f.session.runs = {run};
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
  f.Push("go.previous_step", TwoRuns::Of(run.id));
  CHECK(f.visible().begin < next.begin);
}

TEST_CASE("runs: one can be closed while its analyses run") {
  ViewerFixture f;
  for (int i = 0; i < 5; ++i) {
    Run run;
    run.id = TraceId(static_cast<uint32_t>(i));
    run.trace = TrainingTrace();
    run.analysis = std::make_shared<AnalysisContext>(run.trace, Definitions::kStepscope);
    const std::weak_ptr<AnalysisContext> context = run.analysis;
    f.session.runs = {run};
    run = {};
    ++f.session.generation;
    f.Frame(1 + i);
    f.session.runs.clear();
    ++f.session.generation;
    f.Frame(2);
    CHECK_FALSE(f.viewer->view().active.valid());
    f.WaitIdle();
    CHECK_FALSE(f.viewer->animating());
    for (int wait = 0; wait < 5000 && !context.expired(); ++wait) f.Frame();
    CHECK(context.expired());
  }
}
