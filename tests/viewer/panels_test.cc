// Every panel of the registry: it is listed, created and drawn, with nothing, little and much to
// show, in a large window and in a corner of one.
#include <doctest/doctest.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <chrono>
#include <set>
#include <string>
#include <thread>

#include "tests/viewer/panel_fixture.h"
#include "tests/viewer/viewer_fixture.h"
#include "viewer/widgets/draw_text.h"

namespace stepscope {
namespace {

using testing::TraceMaker;

std::shared_ptr<const Trace> EmptyTrace() {
  TraceMaker maker;
  maker.Plane("Host threads", PlaneKind::kHostThreads);
  return maker.Finish();
}

// Thousands of kernels with long names, ops and steps.
std::shared_ptr<const Trace> HugeTrace() {
  constexpr Ps kKernels = 20'000, kSteps = 4'000;
  TraceMaker maker;
  const PlaneId gpu = maker.Plane("/device:GPU:0", PlaneKind::kGpu);
  std::vector<testing::SimpleEvent> kernels, steps;
  for (Ps i = 0; i < kKernels; ++i) {
    kernels.push_back({"void model::layers::block_" + std::to_string(i) +
                           "::fused_kernel<float, 128, 64>(float const*, float*)",
                       i * 10 * kPsPerUs, (5 + i % 5) * kPsPerUs});
  }
  maker.Track(gpu, "Stream #14", TrackKind::kStream, kernels);
  const PlaneId host = maker.Plane("Host threads", PlaneKind::kHostThreads);
  for (Ps i = 0; i < kSteps; ++i)
    steps.push_back({"train " + std::to_string(i), i * 50 * kPsPerUs, 49 * kPsPerUs});
  maker.Track(host, "python3", TrackKind::kThread, steps);
  return maker.Finish();
}

// Of the tables that were drawn: every column that is shown has room for its heading.
void CheckHeadings(const PanelContext& context) {
  const FaceScope small(context, Face::kUi);
  ImGuiContext& g = *ImGui::GetCurrentContext();
  for (int i = 0; i < g.Tables.GetMapSize(); ++i) {
    ImGuiTable* table = g.Tables.TryGetMapData(i);
    if (table == nullptr || table->LastFrameActive < g.FrameCount) continue;
    for (int c = 0; c < table->ColumnsCount; ++c) {
      const ImGuiTableColumn& column = table->Columns[c];
      const std::string name = ImGui::TableGetColumnName(table, c);
      if (!column.IsEnabled || (table->Flags & ImGuiTableFlags_Sortable) == 0) continue;
      CAPTURE(name.c_str());
      CHECK(column.WorkMaxX - column.WorkMinX + 1 >= TextWidth(name));
    }
  }
}

// Draws the panel until nothing is computed any more; vertices of the last frame.
int DrawUntilDone(PanelFixture& f, Panel& panel) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(5);
  int vertices = 0;
  for (int calm = 0; calm < 5 && std::chrono::steady_clock::now() < limit;) {
    vertices = f.Frame([&](const PanelContext& context) { panel.Draw(context); });
    const bool busy = panel.animating() || f.analyses.busy();
    calm = busy ? 0 : calm + 1;
    if (busy) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  CHECK_FALSE(panel.animating());
  return vertices;
}

void DrawAll(const std::shared_ptr<const Trace>& trace) {
  for (const ImVec2 size : {ImVec2(1280, 800), ImVec2(384, 280)}) {
    for (const PanelDesc& desc : Panels()) {
      CAPTURE(desc.id);
      PanelFixture f(size);
      f.run.trace = trace;
      f.run.analysis = std::make_shared<AnalysisContext>(trace, Definitions::kStepscope);
      f.run.derived = f.run.analysis->derived();
      f.session.runs.push_back(f.run);
      RunState view;
      view.run = f.run.id;
      f.view.runs.push_back(view);
      f.view.visible = trace->span;
      f.view.active = f.run.id;
      const auto panel = desc.create();
      CHECK(DrawUntilDone(f, *panel) > 0);
      f.Frame([&](const PanelContext& context) {
        panel->Draw(context);
        CheckHeadings(context);
      });
    }
  }
}

TEST_CASE("panels have unique ids, and each creates") {
  std::set<std::string> ids;
  for (const PanelDesc& panel : Panels()) {
    CHECK(ids.insert(panel.id).second);
    CHECK(panel.title[0] != 0);
    CHECK(panel.what[0] != 0);
    CHECK(panel.create() != nullptr);
    CHECK(FindPanel(panel.id) == &panel);
  }
  CHECK(FindPanel("no_such_panel") == nullptr);
}

TEST_CASE("every panel draws without a run, and says something") {
  for (const PanelDesc& desc : Panels()) {
    CAPTURE(desc.id);
    PanelFixture f;
    const auto panel = desc.create();
    const int nothing = f.Frame([](const PanelContext&) {});
    const int vertices = f.Frame([&](const PanelContext& c) {
      PanelContext without = c;
      without.run = nullptr;
      without.state = nullptr;
      without.runs = {};
      panel->Draw(without);
    });
    CHECK(vertices > nothing);
  }
}

TEST_CASE("every panel draws an empty profile") { DrawAll(EmptyTrace()); }
TEST_CASE("every panel draws a small profile") { DrawAll(testing::TrainingTrace()); }
TEST_CASE("every panel draws a huge profile") { DrawAll(HugeTrace()); }

}  // namespace
}  // namespace stepscope
