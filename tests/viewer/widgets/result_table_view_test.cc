#include "viewer/widgets/result_table_view.h"

#include <doctest/doctest.h>
#include <imgui_internal.h>

#include <string>
#include <vector>

#include "model/analysis/tables/cells.h"
#include "tests/support/growth.h"
#include "tests/support/table_rows.h"
#include "tests/viewer/panel_fixture.h"

namespace stepscope {
namespace {

ResultTable MakeTable(size_t rows) {
  ResultTable t;
  t.id = "kernels";
  t.SetColumns({{"rank", "#", Unit::kCount, ValueType::kInt, ""},
                {"kernel_name", "Kernel", Unit::kNone, ValueType::kString, ""},
                {"uses_tc", "Tensor Core", Unit::kNone, ValueType::kBool, ""},
                {"total_us", "Total", Unit::kUs, ValueType::kReal, "sum of durations"},
                {"share", "Share of time", Unit::kFraction, ValueType::kReal, ""}});
  for (size_t i = 0; i < rows; ++i) {
    const auto n = static_cast<double>(rows - i);
    t.AddRow({static_cast<int64_t>(i + 1), "kernel_" + std::to_string(i % 97), i % 2 == 0, n * 1.5,
              n / 1e5});
    RowLink link;
    link.rows = EventRows(
        {EventRow(static_cast<uint32_t>(i * 2)), EventRow(static_cast<uint32_t>(i * 2 + 1))});
    link.total = 2;
    t.links.push_back(link);
  }
  return t;
}

struct TableFixture {
  explicit TableFixture(size_t rows) : table(MakeTable(rows)) {
    options.name_column = "kernel_name";
  }
  std::function<void(const PanelContext&)> draw = [this](const PanelContext& c) {
    view.Draw(c, table, key, options);
  };
  PanelFixture panel;
  ResultTable table;
  ResultTableView view;
  TableOptions options;
  uint64_t key = 1;
};

TEST_CASE("table view: the order is made once, and again only for new data, filter or sorting") {
  TableFixture f(1000);
  for (int i = 0; i < 10; ++i) f.panel.Frame(f.draw);
  CHECK(f.view.order().size() == 1000);
  const uint64_t once = f.view.rebuilds();
  CHECK(once <= 2);
  for (int i = 0; i < 10; ++i) f.panel.Frame(f.draw);
  CHECK(f.view.rebuilds() == once);
  f.view.SetFilter("kernel_96");
  f.panel.Frame(f.draw);
  CHECK(f.view.rebuilds() == once + 1);
  CHECK(f.view.order().size() == 10);
  f.key = 2;
  f.panel.Frame(f.draw);
  CHECK(f.view.rebuilds() == once + 2);
  CHECK(f.view.order().size() == 10);  // the filter outlives the data
}

TEST_CASE("table view: export is what is shown, and without filter what the report writes") {
  TableFixture f(20);
  f.panel.Frame(f.draw);
  f.panel.Frame(f.draw);
  CHECK(f.view.Csv(f.table) == ToCsv(f.table));
  f.view.SetFilter("total<4");
  f.panel.Frame(f.draw);
  CHECK(f.view.Csv(f.table) ==
        "rank,kernel_name,uses_tc,total_us,share\r\n19,kernel_18,true,3,2e-05\r\n20,kernel_19,"
        "false,1.5,1e-05\r\n");
}

TEST_CASE("table view: hidden columns are not drawn and not exported") {
  TableFixture f(3);
  constexpr const char* kHidden[] = {"share", "uses_tc"};
  f.options.hidden_columns = kHidden;
  f.panel.Frame(f.draw);
  f.panel.Frame(f.draw);
  CHECK(f.view.Csv(f.table).starts_with("rank,kernel_name,total_us\r\n1,kernel_0,4.5\r\n"));
}

// A page by other definitions may have such a table.
TEST_CASE("table view: a table without columns is drawn as nothing") {
  TableFixture f(0);
  f.table.columns.clear();
  for (int i = 0; i < 3; ++i) f.panel.Frame(f.draw);
  CHECK(ImGui::GetCurrentContext()->Tables.GetAliveCount() == 0);
  f.table = MakeTable(3);
  f.key = 2;
  for (int i = 0; i < 3; ++i) f.panel.Frame(f.draw);
  CHECK(ImGui::GetCurrentContext()->Tables.GetAliveCount() == 1);
  CHECK(f.view.order().size() == 3);
}

TEST_CASE("table view: a row shows its events on the timeline") {
  TableFixture f(10);
  f.panel.Frame(f.draw);
  f.view.Select(f.table, 3);
  f.view.ShowOnTimeline(f.panel.Context(), f.table);
  const auto commands = f.panel.TakeCommands();
  REQUIRE(commands.size() == 1);
  CHECK(commands[0].id == "select.show_events");
  REQUIRE(commands[0].args.events.size() == 2);
  CHECK(commands[0].args.events[0] == EventRef{ProfileId(7), 0, EventRow(6)});
}

TEST_CASE("table view: a row with a range only moves the timeline there") {
  TableFixture f(2);
  f.table.links[1].rows = {};
  f.table.links[1].range = {100, 900};
  f.panel.Frame(f.draw);
  f.view.Select(f.table, 1);
  f.view.ShowOnTimeline(f.panel.Context(), f.table);
  const auto commands = f.panel.TakeCommands();
  REQUIRE(commands.size() == 1);
  CHECK(commands[0].id == "view.set_range");
  CHECK(commands[0].args.range == TimeRange{100, 900});
}

TEST_CASE("table view: mouse and keys move the selection, which sorting keeps") {
  TableFixture f(5000);
  for (int i = 0; i < 3; ++i) f.panel.Frame(f.draw);
  f.panel.Click(300, 400, f.draw);
  const int clicked = f.view.current();
  REQUIRE(clicked >= 0);
  f.panel.Key(ImGuiKey_DownArrow, f.draw);
  CHECK(f.view.current() == clicked + 1);
  f.panel.Key(ImGuiKey_UpArrow, f.draw);
  f.panel.Key(ImGuiKey_UpArrow, f.draw);
  CHECK(f.view.current() == clicked - 1);
  f.panel.Key(ImGuiKey_End, f.draw);
  CHECK(f.view.current() == 4999);
  f.view.SetSort({{3, false}});
  for (int i = 0; i < 3; ++i) f.panel.Frame(f.draw);
  CHECK(f.view.current() == 4999);
  CHECK(f.view.order()[0] == 4999);
  f.panel.Key(ImGuiKey_Enter, f.draw);
  const auto commands = f.panel.TakeCommands();
  REQUIRE(commands.size() == 1);
  CHECK(commands[0].args.events.front().row == EventRow(9998));
}

TEST_CASE("table view: what a filter hides is not selected") {
  TableFixture f(100);
  f.panel.Frame(f.draw);
  f.view.Select(f.table, 5);
  f.view.SetFilter("kernel_6");
  f.panel.Frame(f.draw);
  CHECK(f.view.current() == -1);
  CHECK(f.view.SelectedTsv(f.table).empty());
}

TEST_CASE("table view: clicking a header sorts by it, largest first for numbers") {
  TableFixture f(200);
  f.view.SetFilter("");
  for (int i = 0; i < 3; ++i) f.panel.Frame(f.draw);
  // The last column (share) ends near the right edge; its header is the first row
  // under the toolbar.
  f.panel.Click(1200, 48, f.draw);
  f.panel.Click(1200, 48, f.draw);
  const std::vector<uint32_t> order(f.view.order().begin(), f.view.order().end());
  CHECK(order.size() == 200);
  CHECK(order.front() == 199);  // second click: smallest first
}

TEST_CASE("table view: 100,000 rows cost no more to draw than what is seen of them") {
  int vertices = 0;
  const auto seconds = [&](size_t rows) {
    TableFixture f(rows);
    f.panel.Frame(f.draw);
    f.panel.Frame(f.draw);
    vertices = f.panel.Frame(f.draw);
    return test::CpuSeconds([&] {
      for (int i = 0; i < 30; ++i) f.panel.Frame(f.draw);
    });
  };
  CHECK(test::GrowthOfFour(25'000, seconds) < 2);
  CHECK(vertices < 60000);
}

TEST_CASE("table view: the columns of A and B have one unit") {
  ResultTable table;
  table.SetColumns({{"a_ms_per_step", "A", Unit::kMs, ValueType::kReal, ""},
                    {"b_ms_per_step", "B", Unit::kMs, ValueType::kReal, ""},
                    {"delta_ms_per_step", "D", Unit::kMs, ValueType::kReal, ""},
                    {"gap_ms", "Gap", Unit::kMs, ValueType::kReal, ""}});
  test::SetRows(&table, {{0.0021, 12.5, 12.4979, 0.002}, {0.0034, 25.0, 24.9966, 0.003}});
  CHECK(std::string(ColumnFormat(table, 1).header) == "ms");
  for (const size_t c : {0, 2}) {
    CHECK(std::string(ColumnFormat(table, c).header) == "ms");
    CHECK(ColumnFormat(table, c).scale == ColumnFormat(table, 1).scale);
  }
  CHECK(std::string(ColumnFormat(table, 3).header) == "\u00b5s");
}

TEST_CASE("table view: times with and without the events inside have one unit") {
  ResultTable table;
  table.SetColumns({{"self_us", "Self time", Unit::kUs, ValueType::kReal, ""},
                    {"total_us", "Total", Unit::kUs, ValueType::kReal, ""},
                    {"totals_us", "Else", Unit::kUs, ValueType::kReal, ""}});
  test::SetRows(&table, {{49'763.2, 479'763.0, 3.0}, {200.0, 900.0, 2.0}});
  CHECK(std::string(ColumnFormat(table, 0).header) == "ms");
  CHECK(ColumnFormat(table, 0).scale == ColumnFormat(table, 1).scale);
  CHECK(std::string(ColumnFormat(table, 2).header) == "\u00b5s");
}

TEST_CASE("table view: long times get the next unit, to the thousandth") {
  ResultTable table;
  table.SetColumns({{"self_us", "Self", Unit::kUs, ValueType::kReal, ""},
                    {"time_ms", "Time", Unit::kMs, ValueType::kReal, ""}});
  test::SetRows(&table, {{479'255.0, 23.1}, {20.0, 0.03}, {9.0, 0.004}, {4.0, 0.002}});
  const auto text = [&](size_t row, size_t column) {
    const NumberFormat format = ColumnFormat(table, column);
    return NumberText(NumberOf(table.At(row, column)), format) + " " + format.header;
  };
  CHECK(text(0, 0) == "479.255 ms");
  CHECK(text(1, 0) == "0.020 ms");
  CHECK(text(0, 1) == "23.100 ms");
  CHECK(text(3, 1) == "0.002 ms");
  test::SetCell(&table, 0, 0, 99'999.0);
  CHECK(text(0, 0) == "99\u2009999.0 \u00b5s");
}

TEST_CASE("table view: an empty table and one without links draw") {
  TableFixture f(0);
  CHECK(f.panel.Frame(f.draw) > 0);
  f.table = MakeTable(2);
  f.table.links.clear();
  f.key = 5;
  f.panel.Frame(f.draw);
  f.view.Select(f.table, 0);
  f.view.ShowOnTimeline(f.panel.Context(), f.table);
  CHECK(f.panel.TakeCommands().empty());
}

TEST_CASE("table view: no column is cut by the right edge, whatever the width") {
  for (int width = 240; width < 700; width += 10) {
    CAPTURE(width);
    PanelFixture panel(ImVec2(static_cast<float>(width), 300));
    // Three rows have no scroll bar beside them.
    ResultTable table = MakeTable(width % 20 == 0 ? 40 : 3);
    for (size_t row = 0; row < table.size(); ++row) {
      test::SetCell(&table, row, 1,
                    std::string("a_kernel_with_a_very_long_name_") + RawValue(table.At(row, 1)));
    }
    ResultTableView view;
    TableOptions options;
    options.name_column = "kernel_name";
    ImRect inner;
    std::vector<ImRect> cells;
    for (int i = 0; i < 3; ++i) {
      panel.Frame([&](const PanelContext& c) {
        view.Draw(c, table, 1, options);
        ImGuiContext& g = *ImGui::GetCurrentContext();
        for (int t = 0; t < g.Tables.GetMapSize(); ++t) {
          const ImGuiTable* drawn = g.Tables.TryGetMapData(t);
          if (drawn == nullptr) continue;
          inner = drawn->InnerClipRect;
          cells.clear();
          for (int k = 0; k < drawn->ColumnsCount; ++k)
            cells.emplace_back(drawn->Columns[k].MinX, 0.0f, drawn->Columns[k].MaxX, 1.0f);
        }
      });
    }
    REQUIRE(cells.size() == 5);
    for (const ImRect& cell : cells) {
      const bool in_sight = cell.Max.x <= inner.Max.x + 1, behind = cell.Min.x >= inner.Max.x - 1;
      CAPTURE(cell.Min.x);
      CAPTURE(cell.Max.x);
      CAPTURE(inner.Max.x);
      CHECK((in_sight || behind));
    }
  }
}

}  // namespace
}  // namespace stepscope
