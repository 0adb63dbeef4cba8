// Every panel of the registry is listed, created and drawn, with nothing, little and much to show,
// in a large window and in a small one.
#include <doctest/doctest.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <set>
#include <string>

#include "loaders/loader.h"
#include "tests/support/kineto_text.h"
#include "tests/support/planted_losses.h"
#include "tests/viewer/drawn_text.h"
#include "tests/viewer/open_trace.h"
#include "tests/viewer/viewer_fixture.h"
#include "viewer/widgets/draw_text.h"

namespace stepscope {
namespace {

using test::TraceMaker;

std::shared_ptr<const Trace> EmptyTrace() {
  TraceMaker maker;
  maker.Plane("Host threads", PlaneKind::kHostThreads);
  return maker.Finish();
}

// Two GPUs, four steps with ops, kernels, copies, input and allocations.
std::shared_ptr<const Trace> SmallTrace() {
  test::GpuProfileOptions options;
  options.steps = 4;
  options.layers = 3;
  return test::TraceOf(options);
}

// Thousands of kernels with long names, each launched by an op, and steps.
std::shared_ptr<const Trace> HugeTrace() {
  constexpr int kKernels = 5'000, kSteps = 100;
  test::KinetoText t;
  for (int i = 0; i < kKernels; ++i) {
    const std::string name = "void model::layers::block_" + std::to_string(i) +
                             "::fused_kernel<float, 128, 64>(float const*, float*)";
    t.Host("cpu_op", "aten::op_" + std::to_string(i), i * 10, 9).Launch(i, i * 10 + 1, 2);
    t.Kernel(name, i, i * 10 + 4, 5 + i % 5);
  }
  for (int i = 0; i < kSteps; ++i)
    t.Host("user_annotation", "ProfilerStep#" + std::to_string(i), i * 500, 499);
  return LoadBytes("huge.json", t.Text(test::kH100), {}).value();
}

// In every table that was drawn, each column that is shown has room for its heading.
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

// The text that a panel has to show in a window of 1280 x 800. A panel without a row here has its
// own test.
struct Promise {
  const char *panel, *empty, *small, *huge;
};
constexpr Promise kPromises[] = {
    {"details", "No event is in view.", "412 events on 10 tracks.", "events on 2 tracks."},
    {"selection", "0 events in 0 ps", "of them instants, in 2.294 ms", "events in 50 ms"},
    {"markers", "No markers yet.", "No markers yet.", "No markers yet."},
    {"overview", "No steps were found", "average of 4 steps", "average of 100 steps"},
    {"findings", "This profile has no steps", "The GPUs wait 0.040 ms", "The GPU waits 0.11 ms"},
    {"input_pipeline", "No tf.data events", "Partly input-bound: 7.0 %", "of the step"},
    {"kernel_stats", "This profile has no GPU kernels.", "Tensor Core 77.1 %", "35.00 ms"},
    {"op_stats", "No event of this profile carries", "3.682 ms", "35.00 ms"},
    {"memory", "no memory events", "GPU_0_bfc", "no memory events"},
    {"memory_snapshot", "no memory snapshot", "no memory snapshot", "no memory snapshot"},
    {"devices", "No device has events in this profile.", "Copies", "By annotation"},
    {"ranks", "This profile is of one rank.", "No rank is late", "This profile is of one rank."},
    {"compare", "Nothing is compared.", "Nothing is compared.", "Nothing is compared."},
    {"diagnostics", "Nothing was repaired", "Nothing was repaired", "Nothing was repaired"},
};

void DrawAll(std::shared_ptr<const Trace> trace, const char* Promise::*expected) {
  const Profile profile = ProfileOf(ProfileId(7), std::move(trace));
  for (const ImVec2 size : {ImVec2(1280, 800), ImVec2(384, 280)}) {
    for (const PanelDesc& desc : Panels()) {
      CAPTURE(std::string(desc.id));
      PanelFixture f(size);
      OpenProfile(f, profile);
      const auto panel = desc.create();
      const DrawnText text = DrawCalm(f, *panel);
      CHECK_FALSE(text.pieces().empty());
      for (const Promise& promise : kPromises) {
        if (size.x < 1000 || promise.panel != std::string_view(desc.id)) continue;
        CHECK_MESSAGE(text.Has(promise.*expected), std::string(promise.*expected),
                      " is not among\n", text.All());
      }
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

TEST_CASE("every panel says something without a profile") {
  for (const PanelDesc& desc : Panels()) {
    CAPTURE(std::string(desc.id));
    PanelFixture f;
    const auto panel = desc.create();
    const DrawnText text = DrawCalm(f, [&](const PanelContext& context) {
      PanelContext without = context;
      without.profile = nullptr;
      without.state = nullptr;
      without.profiles = {};
      panel->Draw(without);
    });
    REQUIRE_FALSE(text.pieces().empty());
    CHECK(text.pieces().front().text.find(' ') != std::string::npos);  // a sentence
  }
}

TEST_CASE("every panel says what it has of an empty profile") {
  DrawAll(EmptyTrace(), &Promise::empty);
}
TEST_CASE("every panel says what it has of a small profile") {
  DrawAll(SmallTrace(), &Promise::small);
}
TEST_CASE("every panel says what it has of a huge profile") {
  DrawAll(HugeTrace(), &Promise::huge);
}

}  // namespace
}  // namespace stepscope
