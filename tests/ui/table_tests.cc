// Drives the table of each panel in the window: sort, filter, choose columns, select, copy, export,
// and the menu of the right click. Exports tell what is shown.
#include <imgui_internal.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <thread>

#include "model/analysis/tables/result_table.h"
#include "tests/ui/ui_app.h"
#include "viewer/core/commands/command.h"
#include "viewer/core/panel.h"
#include "viewer/core/state/view_state.h"
#include "viewer/shell/shell.h"

namespace stepscope::ui {
namespace {

using Json = nlohmann::json;

// A panel and the table in it.
struct Shown {
  std::string window;  // "//Kernels###panel_kernel_stats"
  ImGuiTable* table = nullptr;
};

bool IsInside(const ImGuiWindow* window, const ImGuiWindow* outer) {
  for (; window != nullptr; window = window->ParentWindow) {
    if (window == outer) return true;
  }
  return false;
}

ImGuiTable* FindTable(const std::string& title) {
  ImGuiContext& g = *ImGui::GetCurrentContext();
  const ImGuiWindow* panel = ImGui::FindWindowByName(title.c_str());
  for (int i = 0; panel != nullptr && i < g.Tables.GetMapSize(); ++i) {
    ImGuiTable* table = g.Tables.TryGetMapData(i);
    if (table == nullptr || table->LastFrameActive + 1 < g.FrameCount) continue;
    if ((table->Flags & ImGuiTableFlags_Sortable) != 0 && IsInside(table->OuterWindow, panel))
      return table;
  }
  return nullptr;
}

Shown OpenPanel(UiApp& app, ImGuiTestContext* ctx, const char* id) {
  app.Push(ctx, "panel.show", id);
  const std::string title = PanelWindowName(*FindPanel(id));
  return {"//" + title, FindTable(title)};
}

std::string In(const Shown& panel, const char* item) { return panel.window + "/**/" + item; }

// The text that the menu's item writes to the suggested file; empty if nothing was written.
const std::string& Saved(UiApp& app, ImGuiTestContext* ctx, const Shown& panel, const char* item) {
  app.services.saved.clear();
  ctx->ItemClick(In(panel, "Export").c_str());
  ctx->ItemClick(item);
  app.WaitIdle(ctx);
  ctx->KeyPress(ImGuiKey_Enter);
  constexpr int kMostFrames = 2000;  // of reading the folder
  for (int i = 0; i < kMostFrames && app.services.saved.empty(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ctx->Yield();
  }
  app.WaitIdle(ctx);
  return app.services.saved;
}

// The shown rows and columns as "Export" writes them; {} if nothing was written.
Json Exported(UiApp& app, ImGuiTestContext* ctx, const Shown& panel) {
  const std::string& saved = Saved(app, ctx, panel, "//$FOCUSED/JSON of what is shown\u2026");
  return saved.empty() ? Json() : Json::parse(saved, nullptr, false);
}

float HeaderHeight(ImGuiTable* table) {
  return ImGui::TableGetInstanceData(table, 0)->LastTopHeadersRowHeight;
}

ImVec2 HeaderOf(ImGuiTable* table, int column) {
  const ImGuiTableColumn& c = table->Columns[column];
  const float right = std::min(c.MaxX, table->InnerClipRect.Max.x);
  return {std::floor((c.MinX + right) * 0.5f), table->OuterRect.Min.y + HeaderHeight(table) * 0.5f};
}

ImVec2 CellOf(ImGuiTable* table, int column, int row) {
  const ImVec2 header = HeaderOf(table, column);
  return {header.x, header.y + HeaderHeight(table) * static_cast<float>(row + 1)};
}

bool InSight(ImGuiTable* table, int column) {
  const ImGuiTableColumn& c = table->Columns[column];
  return c.IsEnabled && c.MinX + 20 < table->InnerClipRect.Max.x && c.MaxX - c.MinX > 20;
}

// The table's data column behind a column of the screen: user ids count from one.
std::string IdOf(ImGuiTable* table, int column, const Json& all) {
  const std::string label = ImGui::TableGetColumnName(table, column);
  for (const Json& c : all["columns"]) {
    if (c["label"] == label) return c["id"];
  }
  return {};
}

bool IsNumber(const Json& all, const std::string& id) {
  for (const Json& c : all["columns"]) {
    if (c["id"] == id) return c["type"] == "number" || c["type"] == "integer";
  }
  return false;
}

void ClickAt(ImGuiTestContext* ctx, ImVec2 at, ImGuiMouseButton button = 0) {
  ctx->MouseMoveToPos(at);
  ctx->MouseClick(button);
  ctx->Yield(2);
}

// -1, 0, 1; missing values after all others whichever way the column is sorted.
int Compare(const Json& a, const Json& b, bool descending) {
  if (a.is_null() || b.is_null()) return a.is_null() == b.is_null() ? 0 : a.is_null() ? 1 : -1;
  const int order = a < b ? -1 : b < a ? 1 : 0;
  return descending ? -order : order;
}

// The rows are in the order that the heading's arrows say.
void CheckSorted(ImGuiTestContext* ctx, ImGuiTable* table, const Json& all) {
  const ImGuiTableSortSpecs& specs = table->SortSpecs;
  for (size_t i = 1; i < all["rows"].size(); ++i) {
    int order = 0;
    for (int k = 0; k < specs.SpecsCount && order == 0; ++k) {
      const std::string id = IdOf(table, specs.Specs[k].ColumnIndex, all);
      order = Compare(all["rows"][i - 1].value(id, Json()), all["rows"][i].value(id, Json()),
                      specs.Specs[k].SortDirection == ImGuiSortDirection_Descending);
    }
    IM_CHECK_LE(order, 0);
  }
  static_cast<void>(ctx);
}

void Sort(UiApp& app, ImGuiTestContext* ctx, const Shown& panel, const Json& all) {
  std::vector<int> columns;
  for (int c = 0; c < panel.table->ColumnsCount; ++c) {
    if (InSight(panel.table, c) && !IdOf(panel.table, c, all).empty()) columns.push_back(c);
  }
  IM_CHECK_GE(columns.size(), 2u);
  for (size_t i = 0; i < std::min<size_t>(columns.size(), 4); ++i) {
    ClickAt(ctx, HeaderOf(panel.table, columns[i]));
    IM_CHECK_EQ(panel.table->SortSpecs.SpecsCount, 1);
    CheckSorted(ctx, panel.table, Exported(app, ctx, panel));
  }
  const size_t first = std::min<size_t>(columns.size(), 4) - 1;
  ctx->KeyDown(ImGuiMod_Shift);
  ClickAt(ctx, HeaderOf(panel.table, columns[first == 0 ? 1 : first - 1]));
  ctx->KeyUp(ImGuiMod_Shift);
  IM_CHECK_EQ(panel.table->SortSpecs.SpecsCount, 2);
  CheckSorted(ctx, panel.table, Exported(app, ctx, panel));
}

size_t RowsAfterFilter(UiApp& app, ImGuiTestContext* ctx, const Shown& panel,
                       const std::string& filter) {
  ctx->ItemInputValue(In(panel, "##filter").c_str(), filter.c_str());
  ctx->Yield(2);
  return Exported(app, ctx, panel)["rows"].size();
}

// Filters numbers by value and text by column, and compares with counts of the unfiltered rows.
void Filter(UiApp& app, ImGuiTestContext* ctx, const Shown& panel, const Json& all) {
  for (const Json& column : all["columns"]) {
    const std::string id = column["id"];
    const Json& sample = all["rows"][all["rows"].size() / 2].value(id, Json());
    size_t expected = 0;
    std::string filter;
    if (IsNumber(all, id) && sample.is_number()) {
      filter = id + ">" + sample.dump();
      for (const Json& row : all["rows"])
        expected += row[id].is_number() && row[id].get<double>() > sample.get<double>() ? 1u : 0u;
    } else if (sample.is_string() && !sample.get<std::string>().empty() &&
               sample.get<std::string>().size() < 100 &&
               sample.get<std::string>().find('"') == std::string::npos) {
      filter = id + ":\"" + sample.get<std::string>() + "\"";
      for (const Json& row : all["rows"])
        expected +=
            row[id].is_string() && row[id].get<std::string>().find(sample) != std::string::npos
                ? 1u
                : 0u;
    } else {
      continue;
    }
    ctx->LogInfo("filter %s", filter.c_str());
    IM_CHECK_EQ(RowsAfterFilter(app, ctx, panel, filter), expected);
  }
  IM_CHECK_EQ(RowsAfterFilter(app, ctx, panel, "\"no row has this text\""), 0u);
  IM_CHECK_EQ(RowsAfterFilter(app, ctx, panel, ""), all["rows"].size());
}

// A label in a path of the test engine, whose parts have slashes between them.
std::string PathOf(const std::string& label) {
  std::string path;
  for (const char c : label) path += c == '/' ? std::string("\\/") : std::string(1, c);
  return path;
}

void HideAndMove(UiApp& app, ImGuiTestContext* ctx, const Shown& panel, const Json& all) {
  int shown = -1, other = -1;
  for (int c = 0; c < panel.table->ColumnsCount; ++c) {
    if (!InSight(panel.table, c)) continue;
    other = shown;
    shown = c;
  }
  IM_CHECK_GE(other, 0);
  const std::string label = ImGui::TableGetColumnName(panel.table, shown);
  for (const size_t expected : {all["columns"].size() - 1, all["columns"].size()}) {
    ctx->ItemClick(In(panel, "Columns").c_str());
    ctx->ItemClick(("//$FOCUSED/" + PathOf(label)).c_str());
    ctx->PopupCloseAll();
    ctx->Yield(2);
    IM_CHECK_EQ(Exported(app, ctx, panel)["columns"].size(), expected);
  }
  const auto before = panel.table->Columns[shown].DisplayOrder;
  ctx->MouseMoveToPos(HeaderOf(panel.table, shown));
  ctx->MouseDown();
  ctx->MouseMoveToPos(HeaderOf(panel.table, other));
  ctx->Yield(2);
  ctx->MouseUp();
  ctx->Yield(2);
  IM_CHECK_NE(panel.table->Columns[shown].DisplayOrder, before);
  // The export has the columns in the order of the screen.
  std::map<int, std::string> on_screen;
  for (int c = 0; c < panel.table->ColumnsCount; ++c) {
    const ImGuiTableColumn& column = panel.table->Columns[c];
    if (column.IsEnabled)
      on_screen[column.DisplayOrder] = ImGui::TableGetColumnName(panel.table, c);
  }
  std::string want, got;
  for (const auto& [place, name] : on_screen) want += name + "|";
  const Json exported = Exported(app, ctx, panel);
  for (const Json& c : exported["columns"]) got += c["label"].get<std::string>() + "|";
  IM_CHECK_STR_EQ(got.c_str(), want.c_str());
}

void Export(UiApp& app, ImGuiTestContext* ctx, const Shown& panel, const Json& all) {
  const std::string shown = Saved(app, ctx, panel, "//$FOCUSED/CSV of what is shown\u2026");
  IM_CHECK(app.services.saved_path.ends_with(".csv"));
  std::string header;
  for (const Json& c : all["columns"])
    header += (header.empty() ? "" : ",") + c["id"].get<std::string>();
  IM_CHECK_STR_EQ(shown.substr(0, shown.find('\r')).c_str(), header.c_str());
  const std::string whole = Saved(app, ctx, panel, "//$FOCUSED/CSV of the whole table\u2026");
  IM_CHECK_GE(whole.size(), shown.size());
}

// The column that gives rows their name: what "Copy name" copies.
void RowMenu(UiApp& app, ImGuiTestContext* ctx, const Shown& panel, const Json& all) {
  int column = -1;
  for (int c = panel.table->ColumnsCount - 1; c >= 0; --c) {
    if (InSight(panel.table, c)) column = c;
  }
  const std::string id = IdOf(panel.table, column, all);
  const auto open = [&] {
    ClickAt(ctx, CellOf(panel.table, column, 0), ImGuiMouseButton_Right);
    IM_CHECK(ctx->ItemExists("//$FOCUSED/Copy cell"));
  };
  const Json first = Exported(app, ctx, panel)["rows"][0];
  open();
  ctx->ItemClick("//$FOCUSED/Copy cell");
  const Json& cell = first.value(id, Json());
  const std::string text = cell.is_string() ? cell.get<std::string>() : cell.dump();
  if (cell.is_string() || cell.is_number_integer())
    IM_CHECK_STR_EQ(app.services.clipboard.c_str(), text.c_str());
  open();
  ctx->ItemClick("//$FOCUSED/Copy rows");
  IM_CHECK_EQ(std::count(app.services.clipboard.begin(), app.services.clipboard.end(), '\t') + 1,
              static_cast<std::ptrdiff_t>(all["columns"].size()));
  open();
  const bool named =
      (ctx->ItemInfo("//$FOCUSED/Copy name").ItemFlags & ImGuiItemFlags_Disabled) == 0;
  if (named) {
    ctx->ItemClick("//$FOCUSED/Copy name");
    bool found = false;
    for (const auto& [key, value] : first.items())
      found = found || (value.is_string() && value.get<std::string>() == app.services.clipboard);
    IM_CHECK(found);
  } else {
    ctx->PopupCloseAll();
  }
}

// The open row menu's filter: the row's events and no others are bright.
void FilterToRow(UiApp& app, ImGuiTestContext* ctx, bool linked) {
  const char* filter = "//$FOCUSED/Filter timeline to this";
  if ((ctx->ItemInfo(filter).ItemFlags & ImGuiItemFlags_Disabled) != 0) {
    ctx->PopupCloseAll();
    return;
  }
  ctx->ItemClick(filter);
  app.WaitIdle(ctx);
  const auto& journal = app.viewer->commands().journal();
  const auto done = std::find_if(journal.rbegin(), journal.rend(), [](const Command& c) {
    return c.id == "search.set" || c.id == "select.show_events" ||
           (c.id == "app.note" && c.args.text.starts_with("This row has no events"));
  });
  IM_CHECK(done != journal.rend());
  if (done->id == "app.note") {
    IM_CHECK(!linked);  // it was clicked while its events were looked for
    return;
  }
  if (done->id == "select.show_events") {
    IM_CHECK(linked && !app.viewer->view().shown.empty());
    app.Push(ctx, "select.clear", {});
    return;
  }
  const std::string text = done->args.text;
  IM_CHECK(!linked || text.starts_with('='));
  app.Push(ctx, "select.event", {});
  app.Push(ctx, "search.next", {});
  const std::string found = app.NameOf(app.viewer->view().selected);
  if (text.starts_with('=')) {
    IM_CHECK_STR_EQ(found.c_str(), text.c_str() + 1);
  } else {
    IM_CHECK(found.find(text) != std::string::npos);
  }
  app.Push(ctx, "search.set", {});
}

// The menu of the first row, when it knows the row's events: a job looks for them.
void OpenRowMenu(UiApp& app, ImGuiTestContext* ctx, const Shown& panel, int column) {
  ClickAt(ctx, CellOf(panel.table, column, 0), ImGuiMouseButton_Right);
  app.WaitIdle(ctx);
}

// Show on timeline, step through, filter, and back out.
void ToTimeline(UiApp& app, ImGuiTestContext* ctx, const Shown& panel) {
  int column = 0;
  while (column + 1 < panel.table->ColumnsCount && !InSight(panel.table, column)) ++column;
  OpenRowMenu(app, ctx, panel, column);
  const ImGuiItemFlags show = ctx->ItemInfo("//$FOCUSED/###show").ItemFlags;
  size_t events = 0;
  if ((show & ImGuiItemFlags_Disabled) == 0) {
    ctx->ItemClick("//$FOCUSED/###show");
    app.WaitIdle(ctx);
    const ViewState& view = app.viewer->view();
    events = view.shown.size();
    if (events > 0) {
      const EventRef first = view.selected;
      IM_CHECK(std::find(view.shown.events().begin(), view.shown.events().end(), first) !=
               view.shown.events().end());
      ctx->KeyPress(ImGuiKey_N);
      app.WaitIdle(ctx);
      IM_CHECK_EQ(view.shown.at(), events > 1 ? 1u : 0u);
      IM_CHECK_EQ(view.selected == first, events == 1);
      ctx->KeyPress(ImGuiMod_Shift | ImGuiKey_N);
      app.WaitIdle(ctx);
      IM_CHECK_EQ(view.shown.at(), 0u);
      IM_CHECK(view.selected == first);
      ctx->KeyPress(ImGuiKey_Escape);
      app.WaitIdle(ctx);
      IM_CHECK(view.shown.empty());
    }
    OpenRowMenu(app, ctx, panel, column);
  }
  FilterToRow(app, ctx, events > 0);
}

void DrivePanel(UiApp& app, ImGuiTestContext* ctx, const char* id) {
  const Shown panel = OpenPanel(app, ctx, id);
  ctx->LogInfo("panel %s", id);
  const AnalysisResult result = FindAnalysis(id)->run(*app.session.profiles.front().analysis, {});
  if (panel.table == nullptr) {  // then there is nothing to list
    const ResultTable* input = result.Table("host_ops");
    IM_CHECK(!result.empty_reason.empty() || (input != nullptr && input->empty()));
    return;
  }
  const Json all = Exported(app, ctx, panel);
  IM_CHECK(all.contains("rows"));
  if (all["rows"].empty()) return;
  Sort(app, ctx, panel, all);
  Filter(app, ctx, panel, all);
  Export(app, ctx, panel, all);
  RowMenu(app, ctx, panel, all);
  ToTimeline(app, ctx, panel);
  HideAndMove(app, ctx, panel, all);
}

template <int kIndex>
void Drive(UiApp& app, ImGuiTestContext* ctx) {
  constexpr const char* kPanels[] = {"input_pipeline", "kernel_stats", "op_stats", "diagnostics"};
  DrivePanel(app, ctx, kPanels[kIndex]);
}

// A click in the graph lists what was live then; the other tab has a table of its own, and its
// boxes lead to the timeline.
void DriveMemory(UiApp& app, ImGuiTestContext* ctx) {
  DrivePanel(app, ctx, "memory");
  Shown panel = OpenPanel(app, ctx, "memory");
  if (panel.table == nullptr) return;
  // The graph stands above the table, or beside it in a low panel.
  const ImRect inner = panel.table->OuterWindow->ParentWindow->InnerRect,
               table = panel.table->OuterRect;
  const bool beside = table.Min.x > inner.GetCenter().x - inner.GetWidth() / 4;
  const float x = beside ? (inner.Min.x + table.Min.x) / 2 : table.GetCenter().x;
  const float y = inner.Min.y + 110;
  IM_CHECK(!ctx->ItemExists(In(panel, "Back to the peak").c_str()));
  ClickAt(ctx, {x, y});
  app.WaitIdle(ctx);
  ctx->ItemClick(In(panel, "Back to the peak").c_str());

  ctx->ItemClick(In(panel, "Lifetimes").c_str());
  app.WaitIdle(ctx);
  panel.table = FindTable(PanelWindowName(*FindPanel("memory")));
  IM_CHECK(panel.table != nullptr);
  const Json all = Exported(app, ctx, panel);
  IM_CHECK(!all["rows"].empty());
  Sort(app, ctx, panel, all);
  ToTimeline(app, ctx, panel);
  app.Push(ctx, "select.event", {});
  app.Push(ctx, "view.zoom_all", {});
  const ImRect area = beside ? ImRect({inner.Min.x, 0}, {table.Min.x, 0}) : panel.table->OuterRect;
  // All over the chart: boxes may be flat and long, or high and short.
  for (int i = 0; i < 400 && !app.viewer->view().selected.valid(); ++i) {
    const auto n = static_cast<float>(i);
    const float right = std::fmod(n * 0.755f, 1.0f), down = std::fmod(n * 0.570f, 1.0f);
    ClickAt(ctx, {area.Min.x + area.GetWidth() * (0.1f + 0.8f * right), y + 140 * down});
  }
  IM_CHECK(app.viewer->view().selected.valid());
}

// The overview's table has no toolbar; its rows go to the timeline all the same.
void DriveOverview(UiApp& app, ImGuiTestContext* ctx) {
  const Shown panel = OpenPanel(app, ctx, "overview");
  if (panel.table == nullptr) return;
  ClickAt(ctx, HeaderOf(panel.table, 1));
  IM_CHECK_EQ(panel.table->SortSpecs.SpecsCount, 1);
  ToTimeline(app, ctx, panel);
}

}  // namespace

void AddTableTests(UiApp* app) {
  app->Add("overview", DriveOverview);
  app->Add("input_pipeline", Drive<0>);
  app->Add("kernel_stats", Drive<1>);
  app->Add("op_stats", Drive<2>);
  app->Add("memory", DriveMemory);
  app->Add("diagnostics", Drive<3>);
}

}  // namespace stepscope::ui
