#include <doctest/doctest.h>
#include <implot.h>
#include <implot_internal.h>

#include <set>

#include "tests/support/table_rows.h"

#include "tests/viewer/panel_fixture.h"
#include "viewer/core/panel.h"
#include "viewer/panels/analysis_panel.h"
#include "viewer/panels/memory/memory_boxes.h"
#include "viewer/panels/memory/memory_graph.h"
#include "viewer/widgets/result_table_view.h"

namespace stepscope {
namespace {

AllocatorUse Allocator(const char* id) {
  AllocatorUse use;
  use.host = "vm", use.id = id;
  return use;
}

MemoryUse Use() {
  AllocatorUse gpu = Allocator("GPU_0_bfc"), other = Allocator("other");
  for (int64_t i = 0; i < 50; ++i) {
    const int64_t heap = (i < 30 ? i : 60 - i) << 20, stack = 1 << 20;
    AllocatorUse::Moment m;
    m.time = i * kPsPerMs, m.allocation = true, m.fragmentation = 0.1;
    m.parts = {stack, heap, (int64_t{64} << 20) - heap}, m.in_use = stack + heap;
    m.row = EventRow::kInvalid;
    gpu.timeline.push_back(m);
    m.allocation = false, m.fragmentation = 0, m.parts = {0, 5, 0}, m.in_use = 5;
    other.timeline.push_back(m);
  }
  gpu.capacity = int64_t{65} << 20, gpu.peak = gpu.timeline[30];
  other.capacity = 10, other.peak = other.timeline[49];
  LiveAllocation& conv = gpu.live.emplace_back();
  conv.op = "conv", conv.allocated = int64_t{30} << 20;
  MemoryUse out;
  out.allocators = {gpu, other};
  out.tables_of_xprof = true;
  return out;
}

AnalysisResult Sample() {
  AnalysisResult r;
  r.SetSource<MemoryUse>(std::make_shared<MemoryUse>(Use()));
  return r;
}

TEST_CASE("memory series: one allocator's snapshots; a value holds until the next") {
  const MemorySeries s = SeriesOf(Use().allocators[0]);
  REQUIRE(s.size() == 50);
  CHECK(s.in_use(0) == 1 << 20);
  CHECK(s.Peak() == 30);
  CHECK(s.At(-5) == 0);
  CHECK(s.At(3 * kPsPerMs + 7) == 3);
  CHECK(s.At(kPsPerS) == 49);
  CHECK(SeriesOf({}).size() == 0);
}

TEST_CASE("memory: draws at every size; zooming the graph moves the timeline") {
  for (const ImVec2 size : {ImVec2(420, 300), ImVec2(1280, 400), ImVec2(2560, 1440)}) {
    PanelFixture f(size);
    f.profile.trace = std::make_shared<Trace>();
    f.view.profiles.push_back({f.profile.id, {}, {}, {}});
    f.view.visible = {0, 50 * kPsPerMs};
    const AnalysisResult r = Sample();
    const auto panel = FindPanel("memory")->create();
    auto& memory = static_cast<AnalysisPanel&>(*panel);
    const auto draw = [&](const PanelContext& c) { memory.DrawResult(c, r, 1); };
    int vertices = 0;
    for (int i = 0; i < 3; ++i) vertices = f.Frame(draw);
    CHECK(vertices > 100);
    CHECK(f.TakeCommands().empty());  // drawing alone moves nothing
    if (size.x < 1000) continue;
    f.MoveMouse(size.x * 0.6f, 110);
    f.Frame(draw);
    ImGui::GetIO().AddMouseWheelEvent(0, 1);
    f.Frame(draw);
    f.Frame(draw);
    const auto commands = f.TakeCommands();
    REQUIRE(!commands.empty());
    CHECK(commands[0].id == "view.set_range");
    CHECK(commands[0].args.range.length() < 50 * kPsPerMs);
    const AnalysisResult none;
    CHECK(f.Frame([&](const PanelContext& c) { memory.DrawResult(c, none, 2); }) > 0);
  }
}

std::vector<std::string> SizeTicks() {
  std::vector<std::string> out;
  ImPlotContext& g = *ImPlot::GetCurrentContext();
  for (int i = 0; i < g.Plots.GetBufSize(); ++i) {
    ImPlotTicker& ticker = g.Plots.GetByIndex(i)->YAxis(0).Ticker;
    for (int t = 0; t < ticker.TickCount(); ++t) {
      if (ticker.Ticks[t].TextOffset >= 0) out.emplace_back(ticker.GetText(t));
    }
  }
  return out;
}

TEST_CASE(
    "memory: the boxes of allocations have the unit of the table below, whatever their size") {
  const ResultTable table =
      test::TableWith("lifetimes", "Lifetimes",
                      {{"allocated_bytes", "Allocated", Unit::kBytes, ValueType::kInt, ""}},
                      {{int64_t{5} << 30}, {int64_t{3} << 30}});
  const NumberFormat format = ColumnFormat(table, 0);
  REQUIRE(std::string(format.header) == "GiB");
  PanelFixture f;
  f.profile.trace = std::make_shared<Trace>();
  f.view.profiles.push_back({f.profile.id, {}, {}, {}});
  f.view.visible = {0, 50 * kPsPerMs};
  AllocationBoxes boxes;
  boxes.ops = {"conv"};
  boxes.top = int64_t{300} << 20;
  AllocationSpan span{};
  span.begin = 0;
  span.end = 40 * kPsPerMs;
  span.bytes = int64_t{300} << 20;
  boxes.spans = {span};
  MemoryBoxes chart;
  for (int i = 0; i < 2; ++i) {
    f.Frame([&](const PanelContext& c) { chart.Draw(c, boxes, 1, {}, format, ImVec2(900, 400)); });
  }
  const std::vector<std::string> ticks = SizeTicks();
  REQUIRE(ticks.size() > 2);
  CHECK(std::set<std::string>(ticks.begin(), ticks.end()).size() == ticks.size());
  for (const std::string& tick : ticks) CHECK(tick.ends_with(" GiB"));
}

}  // namespace
}  // namespace stepscope
