// Two profiles on one axis.
#include "viewer/core/align_runs.h"

#include <doctest/doctest.h>
#include <imgui_internal.h>

#include "loaders/loader.h"
#include "model/analysis/analysis.h"
#include "tests/support/memory_snapshot.h"
#include "tests/viewer/viewer_fixture.h"
#include "viewer/core/folds.h"

using namespace stepscope;           // NOLINT
using namespace stepscope::testing;  // NOLINT

namespace {

// Steps of a length, numbered from `number`, from `begin` on; the first is warm-up.
Run WithSteps(uint32_t id, int64_t number, Ps begin, Ps length, int count) {
  auto steps = std::make_shared<std::vector<StepMarker>>();
  for (int i = 0; i < count; ++i) {
    steps->push_back({std::to_string(number + i),
                      {begin + i * length, begin + (i + 1) * length},
                      number + i,
                      i > 0});
  }
  Run run;
  run.id = TraceId(id);
  run.trace = TrainingTrace();
  run.steps = std::move(steps);
  return run;
}

struct Two {
  Two(Run a, Run b) : runs{std::move(a), std::move(b)} {
    for (const Run& run : runs) {
      RunState state;
      state.run = run.id;
      view.runs.push_back(state);
    }
    view.baseline = runs[0].id;
    view.active = runs[1].id;
  }
  // Where a time of B lies in A.
  Ps InA(Ps b) const { return view.runs[0].map.ToTrace(view.runs[1].map.ToShared(b)); }
  std::vector<Run> runs;
  ViewState view;
};

}  // namespace

TEST_CASE("the first steps that count are put at the same place, once") {
  Two two(WithSteps(0, 0, 1000, 100, 5), WithSteps(1, 40, 7000, 120, 5));
  AlignByItself(two.runs, &two.view);
  CHECK(two.InA(7120) == 1100);
  CHECK(two.view.runs[0].map == TimeMap{});
  two.view.runs[1].map.offset = 5;
  AlignByItself(two.runs, &two.view);
  CHECK(two.view.runs[1].map.offset == 5);
}

TEST_CASE("the step of the same number is put beside the one in view") {
  Two two(WithSteps(0, 3, 1000, 100, 5), WithSteps(1, 5, 7000, 120, 5));
  REQUIRE(AlignBySteps(two.runs[0], two.view.runs[0], 1350, two.runs[1], &two.view.runs[1]));
  CHECK(two.InA(7120) == 1300);  // both have a step 6
  REQUIRE(AlignBySteps(two.runs[0], two.view.runs[0], 1050, two.runs[1], &two.view.runs[1]));
  CHECK(two.InA(7120) == 1100);  // B has no step 3: the first that count
}

TEST_CASE("a memory snapshot lies beside the trace of its program by the clocks of both") {
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
  two.runs[0].trace = trace;
  two.runs[1].trace = snapshot(1'000'000'000'014);
  AlignByItself(two.runs, &two.view);
  const Ps begin = trace->span.begin;
  CHECK(two.InA(0) == begin + 4 * kPsPerUs);
  CHECK(two.view.runs[1].aligned);
  // Recorded at another time: by steps, as ever.
  two.view.runs[1] = {};
  two.view.runs[1].run = two.runs[1].id;
  two.runs[1].trace = snapshot(2'000'000'000'014);
  CHECK_FALSE(AlignByClock(two.runs[0], two.view.runs[0], two.runs[1], &two.view.runs[1]));
}

TEST_CASE("steps are stretched to the same length") {
  Two two(WithSteps(0, 0, 1000, 100, 5), WithSteps(1, 0, 7000, 120, 5));
  REQUIRE(StretchToSteps(two.runs[0], two.view.runs[0], two.runs[1], &two.view.runs[1]));
  CHECK(two.InA(7000) == 1000);
  CHECK(two.InA(7360) == 1300);
}

TEST_CASE("what is compared is the active profile, or the other one") {
  Two two(WithSteps(0, 0, 1000, 100, 5), WithSteps(1, 0, 7000, 120, 5));
  CHECK(ComparedRun(two.runs, two.view)->id == TraceId(1));
  two.view.active = TraceId(0);
  CHECK(ComparedRun(two.runs, two.view)->id == TraceId(1));
  two.view.baseline = TraceId(1);
  CHECK(ComparedRun(two.runs, two.view)->id == TraceId(0));
  two.view.baseline = {};
  CHECK(ComparedRun(two.runs, two.view) == nullptr);
}

TEST_CASE("of profiles beside each other the busiest tracks of the busiest device are shown") {
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
  CHECK(f.viewer->view().baseline == TraceId(0));
  CHECK(f.viewer->view().active == TraceId(0));
  CHECK(f.viewer->view().runs[1].only.size() == 2);
  f.Push("compare.swap");
  f.Frame(2);
  CHECK(f.viewer->view().baseline == TraceId(1));
  CHECK(f.viewer->view().active == TraceId(0));
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
  CHECK(view.active == TraceId(0));
  CHECK(view.baseline == TraceId(0));
  CHECK_FALSE(view.Find(TraceId(0))->only.empty());
  CHECK(view.Find(TraceId(1))->only.empty());
  const auto has = [](const char* name) {
    const ImGuiWindow* window = ImGui::FindWindowByName(name);
    return window != nullptr && window->WasActive;
  };
  CHECK(has("###panel_memory_snapshot"));
  CHECK_FALSE(has("###panel_compare"));
}

TEST_CASE("what is closed while it is compared leaves the window at rest") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  f.Open(TrainingTrace());
  for (Run& run : f.session.runs)
    run.analysis = std::make_shared<AnalysisContext>(run.trace, Definitions::kStepscope);
  ++f.session.generation;
  CommandArgs panel;
  panel.text = "compare";
  f.Push("panel.show", panel);
  f.Frame(4);  // the comparison has begun
  f.session.runs.pop_back();
  ++f.session.generation;
  f.WaitIdle();
  CHECK(f.viewer->BusyWith().empty());
}
