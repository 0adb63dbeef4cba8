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

ResultTable Timeline() {
  const auto bytes = [](const char* id) {
    return ColumnDesc{id, id, Unit::kBytes, ValueType::kInt, ""};
  };
  ResultTable t{"timeline",
                "Memory",
                {{"host", "Host", Unit::kNone, ValueType::kString, ""},
                 {"memory_id", "Allocator", Unit::kNone, ValueType::kString, ""},
                 {"time_ms", "Time", Unit::kMs, ValueType::kReal, ""},
                 {"activity", "Activity", Unit::kNone, ValueType::kString, ""},
                 bytes("stack_bytes"),
                 bytes("heap_bytes"),
                 bytes("free_bytes"),
                 {"fragmentation", "Fragmentation", Unit::kFraction, ValueType::kReal, ""}}};
  for (int64_t i = 0; i < 50; ++i) {
    const int64_t heap = (i < 30 ? i : 60 - i) << 20;
    t.AddRow({std::string("vm"), std::string("GPU_0_bfc"), static_cast<double>(i),
              std::string("allocation"), int64_t{1} << 20, heap, (int64_t{64} << 20) - heap, 0.1});
    t.AddRow({std::string("vm"), std::string("other"), static_cast<double>(i),
              std::string("deallocation"), int64_t{0}, int64_t{5}, int64_t{0}, 0.0});
  }
  return t;
}

AnalysisResult Sample() {
  AnalysisResult r;
  ResultTable summary = test::TableWith(
      "summary", "Allocators",
      {{"host", "Host", Unit::kNone, ValueType::kString, ""},
       {"memory_id", "Allocator", Unit::kNone, ValueType::kString, ""},
       {"memory_capacity_bytes", "Capacity", Unit::kBytes, ValueType::kInt, ""},
       {"peak_bytes_in_use", "Peak", Unit::kBytes, ValueType::kInt, ""},
       {"peak_time_ms", "Peak at", Unit::kMs, ValueType::kReal, ""}},
      {{std::string("vm"), std::string("GPU_0_bfc"), int64_t{65} << 20, int64_t{31} << 20, 30.0},
       {std::string("vm"), std::string("other"), int64_t{10}, int64_t{5}, 49.0}});
  r.tables.push_back(std::move(summary));
  r.tables.push_back(Timeline());
  ResultTable live = test::TableWith(
      "active_allocations", "Live",
      {{"host", "Host", Unit::kNone, ValueType::kString, ""},
       {"memory_id", "Allocator", Unit::kNone, ValueType::kString, ""},
       {"tf_op", "Op", Unit::kNone, ValueType::kString, ""},
       {"allocation_bytes", "Allocated", Unit::kBytes, ValueType::kInt, ""}},
      {{std::string("vm"), std::string("GPU_0_bfc"), std::string("conv"), int64_t{30} << 20}});
  r.tables.push_back(std::move(live));
  return r;
}

TEST_CASE("memory series: one allocator's snapshots; a value holds until the next") {
  const MemorySeries s = SeriesFromTable(Timeline(), "vm", "GPU_0_bfc");
  REQUIRE(s.size() == 50);
  CHECK(s.in_use(0) == 1 << 20);
  CHECK(s.Peak() == 30);
  CHECK(s.At(-5) == 0);
  CHECK(s.At(3 * kPsPerMs + 7) == 3);
  CHECK(s.At(kPsPerS) == 49);
  CHECK(SeriesFromTable(Timeline(), "vm", "none").size() == 0);
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
