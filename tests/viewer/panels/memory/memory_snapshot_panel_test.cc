#include <doctest/doctest.h>

#include <chrono>
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "loaders/loader.h"
#include "tests/support/loaded.h"
#include "tests/support/memory_snapshot.h"
#include "tests/viewer/panel_fixture.h"
#include "viewer/core/panel.h"
#include "viewer/core/profiles/align_profiles.h"
#include "viewer/panels/analysis_panel.h"
#include "viewer/panels/memory/snapshot_graph.h"
#include "viewer/panels/memory/stack_views.h"

namespace stepscope {
namespace {

std::shared_ptr<const Trace> Load(const test::SnapshotFile& file) {
  return test::Loaded("a.pickle", test::ToPickle(file));
}

std::shared_ptr<const SnapshotData> DataOf(const std::shared_ptr<const Trace>& trace) {
  return std::make_shared<SnapshotData>(trace);
}

// Draws frames until `done`, for at most five seconds.
template <typename Draw, typename Done>
void DrawUntil(PanelFixture* fixture, const Draw& draw, const Done& done) {
  const auto begin = std::chrono::steady_clock::now();
  do {
    fixture->Frame(draw);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  } while (!done() && std::chrono::steady_clock::now() - begin < std::chrono::seconds(5));
}

TEST_CASE("The graph of a snapshot: bands of what is in view; a click finds an allocation") {
  const test::TrainingSnapshot made = test::MakeTrainingSnapshot(4, 8, 1 << 20, true);
  const auto data = DataOf(Load(made.file));
  PanelFixture fixture;
  fixture.profile.trace = data->trace;
  SnapshotGraph graph;
  SnapshotGraph::Clicked clicked;
  int64_t selected = -1;
  const auto draw = [&](const PanelContext& context) {
    const auto now = graph.Draw(context, data, 0, 1, 0, selected, ImVec2(1200, 600));
    if (now.any) clicked = now;
  };
  const int empty = fixture.Frame(draw);
  DrawUntil(&fixture, draw, [&] { return graph.layout() != nullptr; });
  REQUIRE(graph.layout() != nullptr);
  CHECK(graph.layout()->top == made.peak_bytes);
  CHECK(!graph.layout()->bands.empty());
  CHECK(fixture.Frame(draw) > empty + 4 * 8);
  // Allocations from before the recording lie at the bottom of the plot.
  fixture.Click(700, 560, draw);
  REQUIRE(clicked.any);
  REQUIRE(clicked.allocation >= 0);
  const AllocatorDevice& device = data->Device(0);
  const Allocation& a = device.allocations[static_cast<size_t>(clicked.allocation)];
  CHECK(a.before());
  CHECK(SnapshotGraph::MakerOf(*data, a) == "from before the recording");
  selected = clicked.allocation;
  fixture.Frame(draw);
  for (const auto colors : {SnapshotColors::kStream, SnapshotColors::kSize}) {
    graph.colors = colors;
    CHECK(fixture.Frame(draw) > empty);
    DrawUntil(&fixture, draw, [&] { return !graph.busy(); });
    CHECK(graph.layout()->top == made.peak_bytes);
  }
}

TEST_CASE("Colours of the graph are told apart and are those of the table") {
  const auto data = DataOf(Load(test::MakeTrainingSnapshot(4, 8, 1 << 20, false).file));
  PanelFixture fixture;
  fixture.profile.trace = data->trace;
  SnapshotGraph graph;
  fixture.Frame([&](const PanelContext& context) {
    graph.Draw(context, data, 0, 1, 0, -1, ImVec2(1200, 600));
    CHECK(graph.ColorOf(context, "train.py:88 loss_history") !=
          graph.ColorOf(context, "train.py:75 train_step"));
    CHECK(graph.ColorOf(context, "elsewhere") == context.theme.NameColor("elsewhere"));
  });
}

TEST_CASE("The panel shows numbers, graph and tables; a click lists what was live then") {
  const auto trace = Load(test::MakeTrainingSnapshot(4, 8, 1 << 20, true).file);
  AnalysisContext analysis(trace, Definitions::kStepscope);
  const AnalysisResult result = RunAnalysis(*FindAnalysis("memory_snapshot"), analysis, {});
  for (const ImVec2 size : {ImVec2(1280, 800), ImVec2(560, 900), ImVec2(900, 240)}) {
    PanelFixture fixture(size);
    fixture.profile.trace = trace;
    const auto panel = FindPanel("memory_snapshot")->create();
    const auto draw = [&](const PanelContext& context) {
      static_cast<AnalysisPanel&>(*panel).DrawResult(context, result, 5);
    };
    const int first = fixture.Frame(draw);
    DrawUntil(&fixture, draw, [&] { return !panel->animating(); });
    CHECK(!panel->animating());
    const int drawn = fixture.Frame(draw);
    CHECK(drawn > 0);
    if (size.x < 1280) continue;
    CHECK(drawn > first);  // the bands
    fixture.Click(800, 300, draw);
    DrawUntil(&fixture, draw, [&] { return !panel->animating(); });
    CHECK(fixture.Frame(draw) > 0);
  }
}

// A kernel that runs all the time, recorded with the snapshot.
std::shared_ptr<const Trace> TraceBeside(const Trace& snapshot) {
  const int64_t us = snapshot.origin_unix_ns / 1000;
  auto trace = LoadBytes("t.json",
                         R"({"baseTimeNanoseconds":0,"traceEvents":[{"ph":"X","cat":"kernel",)"
                         R"("name":"gemm","pid":0,"tid":7,"ts":)" +
                             std::to_string(us) + R"(,"dur":3600000000,"args":{"device":0}}]})",
                         {});
  REQUIRE_MESSAGE(trace.ok(), trace.status().message());
  return *trace;
}

TEST_CASE("Beside a trace, a click on an allocation says what ran then") {
  const auto snapshot = Load(test::MakeTrainingSnapshot(4, 8, 1 << 20, true).file);
  AnalysisContext analysis(snapshot, Definitions::kStepscope);
  const AnalysisResult result = RunAnalysis(*FindAnalysis("memory_snapshot"), analysis, {});
  std::vector<Profile> profiles(2);
  for (uint32_t i = 0; i < 2; ++i) profiles[i].id = ProfileId(i);
  profiles[0].trace = TraceBeside(*snapshot);
  profiles[1].trace = snapshot;
  const auto vertices = [&](bool beside) {
    PanelFixture fixture(ImVec2(1280, 1400));
    fixture.view.profiles.resize(2);
    for (uint32_t i = 0; i < 2; ++i) fixture.view.profiles[i].profile = ProfileId(i);
    fixture.view.baseline = ProfileId(0);
    AlignByItself(profiles, &fixture.view);
    CHECK(fixture.view.profiles[1].aligned);
    const auto panel = FindPanel("memory_snapshot")->create();
    const auto draw = [&](const PanelContext& context) {
      PanelContext own = context;
      own.profiles =
          beside ? std::span<const Profile>(profiles) : std::span<const Profile>(&profiles[1], 1);
      own.profile = &profiles[1];
      own.state = &fixture.view.profiles[1];
      static_cast<AnalysisPanel&>(*panel).DrawResult(own, result, 5);
    };
    // The background work is done when nothing changes any more. A finished result may still have
    // to be taken, and may start another job.
    const auto settle = [&] {
      auto drawn = fixture.Frame(draw);
      for (int same = 0; same < 100; ++same) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        const auto now = fixture.Frame(draw);
        if (now != drawn || panel->animating()) same = 0;
        drawn = now;
      }
      return drawn;
    };
    settle();
    fixture.Click(800, 300, draw);
    return settle();
  };
  CHECK(vertices(true) > vertices(false));
}

TEST_CASE("The tree of stacks: a click on a maker shows its callers") {
  const auto trace = Load(test::MakeTrainingSnapshot(4, 8, 1 << 20, true).file);
  const AllocatorHistory& history = *HistoryOf(*trace);
  const AllocatorDevice& device = history.devices[0];
  const StackTree tree = LiveTree(history, device, device.peak_event);
  REQUIRE(tree.nodes.size() > 2);
  uint32_t parent = 0;  // the first that has callers
  size_t above = 0;
  while (parent < tree.nodes.size() && tree.nodes[parent].end == parent + 1) ++parent, ++above;
  REQUIRE(parent < tree.nodes.size());
  PanelFixture fixture;
  const auto draw = [&](const PanelContext& context) { DrawStackTree(context, history, tree); };
  fixture.Frame(draw);
  const int closed = fixture.Frame(draw);
  CHECK(closed > 0);
  const float row = ImGui::GetFontSize() + ImGui::GetStyle().CellPadding.y * 2;
  fixture.Click(200, 20 + row * (static_cast<float>(above) + 1), draw);
  CHECK(fixture.Frame(draw) != closed);
  CHECK(fixture.Frame([](const PanelContext& context) { DrawStackTree(context, {}, {}); }) > 0);
}

TEST_CASE("Flame graph: boxes are as wide as their bytes and lie within their makers") {
  StackTree tree;  // a: 60 with callers b (40) and c (20); d: 40
  tree.bytes = 100;
  const auto add = [&](uint32_t depth, uint32_t end, int64_t bytes) {
    StackNode node;
    node.depth = depth, node.end = end, node.bytes = bytes;
    tree.nodes.push_back(node);
  };
  add(0, 3, 60), add(1, 2, 40), add(1, 3, 20), add(0, 4, 40);
  const auto check = [](const FlameBox& box, uint32_t node, uint32_t row, float left, float width) {
    CHECK(box.node == node);
    CHECK(box.row == row);
    CHECK(box.left == doctest::Approx(left));
    CHECK(box.width == doctest::Approx(width));
  };
  std::vector<FlameBox> boxes = LayFlames(tree, kNoNode, 1000, 1);
  REQUIRE(boxes.size() == 4);
  check(boxes[0], 0, 0, 0, 600);
  check(boxes[1], 1, 1, 0, 400);
  check(boxes[2], 2, 1, 400, 200);
  check(boxes[3], 3, 0, 600, 400);
  boxes = LayFlames(tree, 0, 900, 1);  // the first alone
  REQUIRE(boxes.size() == 3);
  check(boxes[0], 0, 0, 0, 900);
  check(boxes[2], 2, 1, 600, 300);
  CHECK(LayFlames(tree, kNoNode, 1000, 300).size() == 3);  // too narrow: left out
  CHECK(LayFlames({}, kNoNode, 1000, 1).empty());
}

TEST_CASE("Flame graph: a click makes a maker the root, one on the first row all of it") {
  const auto trace = Load(test::MakeTrainingSnapshot(4, 8, 1 << 20, true).file);
  const AllocatorHistory& history = *HistoryOf(*trace);
  const StackTree tree = LiveTree(history, history.devices[0], history.devices[0].peak_event);
  PanelFixture fixture;
  uint32_t root = kNoNode;
  const auto draw = [&](const PanelContext& context) {
    DrawStackFlames(context, history, tree, &root);
  };
  fixture.Frame(draw);
  CHECK(fixture.Frame(draw) > 0);
  const float top = ImGui::GetStyle().WindowPadding.y,
              row = std::floor(ImGui::GetFontSize() * 1.4f);
  fixture.Click(60, top + row * 1.5f, draw);
  CHECK(root == 0);
  fixture.Click(60, top + row * 0.5f, draw);
  CHECK(root == kNoNode);
}

TEST_CASE("Bands are told apart by annotation") {
  const auto trace = Load(test::MakeTrainingSnapshot(4, 8, 0, false).file);
  const auto data = DataOf(trace);
  REQUIRE(data->categories.any());
  PanelFixture fixture;
  fixture.profile.trace = trace;
  SnapshotGraph graph;
  graph.colors = SnapshotColors::kCategory;
  const auto draw = [&](const PanelContext& context) {
    graph.Draw(context, data, 0, 1, 0, -1, ImVec2(1200, 600));
  };
  DrawUntil(&fixture, draw, [&] { return !graph.busy() && graph.layout() != nullptr; });
  CHECK(fixture.Frame(draw) > 0);
}

TEST_CASE("Without a trace behind it the panel shows the tables") {
  const auto trace = Load(test::MakeTrainingSnapshot(2, 4, 0, false).file);
  AnalysisContext analysis(trace, Definitions::kStepscope);
  const AnalysisResult result = RunAnalysis(*FindAnalysis("memory_snapshot"), analysis, {});
  PanelFixture fixture;
  const auto panel = FindPanel("memory_snapshot")->create();
  const auto draw = [&](const PanelContext& context) {
    static_cast<AnalysisPanel&>(*panel).DrawResult(context, result, 5);
  };
  CHECK(fixture.Frame(draw) > 0);
  CHECK(!panel->animating());
}

}  // namespace
}  // namespace stepscope
