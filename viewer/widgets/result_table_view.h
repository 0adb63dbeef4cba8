// ResultTableView: the one table widget. Shows a ResultTable with sorting (several columns), a
// filter box, columns that can be hidden and moved, selection by mouse and keys, a total row, copy,
// export and "show on timeline". Owns widget state only: filter, selection, and the order of rows,
// which is remade only when the data, the filter or the sorting changes. A frame costs O(visible
// rows). UI thread only.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/jobs/latest_job.h"
#include "viewer/core/look/theme.h"
#include "viewer/core/panel.h"
#include "viewer/widgets/draw_text.h"
#include "viewer/widgets/row_events.h"
#include "viewer/widgets/table_filter.h"

struct ImGuiTable;

namespace stepscope {

// Cells with exactly this word have this colour.
struct ColoredWord {
  const char* word;
  Role role;
};

struct TableOptions {
  const char* id = "table";      // ImGui id, unique in the panel
  const char* noun = "rows";     // "kernels": "15 of 42 kernels", "1 kernel"
  const char* name_column = "";  // id: gets the name's colour, is what "Copy name" copies
  std::span<const char* const> first_columns{};   // shown first, in this order; the others follow
  std::span<const char* const> hidden_columns{};  // not shown until the user asks for them
  std::span<const ColoredWord> words{};
  std::function<Rgba(const std::string& name)> color{};  // a name's colour; empty: the theme's
  bool shorten_names = false;  // names as DistinctNames' short forms, whole on hover
  bool toolbar = true;
  bool total_row = true;
  float height = 0;  // pixels; 0: what is left of the window
  // For a table about two profiles: the links of its rows in the other profile, shown together with
  // the table's own links. Must outlive the frame.
  ProfileId other_profile{};
  const std::vector<RowLink>* other_links = nullptr;
  // For a table about several profiles: by row, the one that its link leads into; null: all lead
  // into the panel's. Must outlive the frame.
  const std::vector<ProfileId>* link_profiles = nullptr;

  std::string Counted(size_t n) const;  // "1 kernel", "15 kernels"
};

// How the numbers of a column are shown: a chart beside the table has the same unit. O(rows)
NumberFormat ColumnFormat(const ResultTable& table, size_t column);

class ResultTableView {
 public:
  // `key` changes whenever the table's contents may have changed. The table must live through the
  // frame.
  void Draw(const PanelContext& context, const ResultTable& table, uint64_t key,
            const TableOptions& options);

  // The height of `rows` rows with header and scrollbar, without toolbar and totals.
  static float HeightOf(const PanelContext& context, size_t rows);
  // The row of the data that was selected last, or -1.
  int current() const { return current_; }
  std::span<const uint32_t> order() const { return order_; }
  void SetFilter(std::string_view text);
  // Shows the rows whose column `id` is `text`. If the text is too long for the box, shows those
  // that contain its start.
  void SetFilter(const char* id, std::string_view text);
  void SetSort(std::vector<SortKey> keys);         // until the user sorts
  void Select(const ResultTable& table, int row);  // -1: nothing
  uint64_t rebuilds() const { return rebuilds_; }  // how often the order was made, for tests

  // The menus' actions. They do not use ImGui, so tests and commands can call them.
  // The profile that the link of a row leads into.
  ProfileId ProfileOfRow(const PanelContext& context, size_t row) const;
  CommandArgs EventsOf(const PanelContext& context,
                       const ResultTable& table) const;  // takes the selected rows
  void ShowOnTimeline(const PanelContext& context, const ResultTable& table) const;
  std::string Csv(const ResultTable& table) const;  // shown rows, shown columns
  std::string Json(const ResultTable& table) const;
  std::string SelectedTsv(const ResultTable& table) const;

 private:
  struct Column {
    int data = 0;  // index in the table
    NumberFormat format{};
    double max_abs = 0;
    double total = 0;     // over the shown rows
    int widest_row = -1;  // text columns only
    float width = 0;      // pixels that the header and the widest cell need
    bool numeric = false, bar = false, additive = false, name = false, stretch = false,
         hidden = false;
  };

  void Prepare(const ResultTable& table, uint64_t key, const TableOptions& options);
  void PrepareColumns(const ResultTable& table, const TableOptions& options);
  void ShortenNames(const ResultTable& table, const TableOptions& options);
  void MeasureColumns(const PanelContext& context, const ResultTable& table,
                      const TableOptions& options);
  void FitName(float room, float pad);
  float Scrollbar() const;
  void SetFittedWidths();
  void Rebuild(const ResultTable& table);
  void DrawToolbar(const PanelContext& context, const ResultTable& table,
                   const TableOptions& options);
  void DrawTable(const PanelContext& context, const ResultTable& table,
                 const TableOptions& options);
  void TakeSort(const ResultTable& table);
  void DrawHeader(const PanelContext& context, const ResultTable& table);
  void DrawRow(const PanelContext& context, const ResultTable& table, const TableOptions& options,
               uint32_t row, float height);
  void DrawCell(const PanelContext& context, const ResultTable& table, const TableOptions& options,
                const Column& column, uint32_t row);
  struct NameText {
    std::string_view raw, shown;  // they differ for mangled names only
  };
  void DrawName(const PanelContext& context, const NameText& name, const TableOptions& options,
                const Column& column, uint32_t row);
  void DrawTotals(const PanelContext& context, const ResultTable& table,
                  const TableOptions& options, float y);
  void HandleClick(size_t position);
  void HandleKeys(const PanelContext& context, const ResultTable& table, float row_height);
  void KeepInSight(float row_height, bool centre);
  void DrawRowMenu(const PanelContext& context, const ResultTable& table,
                   const TableOptions& options);
  void DrawFilterItem(const PanelContext& context, const ResultTable& table);
  void FindMenuEvents(const PanelContext& context, const ResultTable& table,
                      const TableOptions& options, size_t row);
  void TakeMenuEvents(const PanelContext& context, const ResultTable& table);
  void FilterTimeline(const PanelContext& context, const ResultTable& table) const;
  void Export(const PanelContext& context, const ResultTable& table, bool json);
  void ExportWhole(const PanelContext& context, const ResultTable& table);
  static float RowHeight();
  static std::string_view NameOf(const ResultTable& table, const TableOptions& options, size_t row);
  size_t PositionOf(int row) const;            // in order_, or npos
  std::vector<uint32_t> SelectedRows() const;  // in shown order
  std::string_view ShortName(std::string_view text, uint32_t row);

  ProfileId other_profile_;  // from the last Draw's options
  const std::vector<RowLink>* other_links_ = nullptr;
  const std::vector<ProfileId>* link_profiles_ = nullptr;
  std::array<char, 256> filter_text_{};
  TableFilter filter_;
  std::vector<SortKey> sort_;
  std::vector<uint32_t> order_;
  std::vector<Column> columns_;     // in ImGui's order of creation
  std::vector<int> shown_columns_;  // data columns that are not hidden, in the data's order
  std::vector<float> column_left_, column_right_;  // screen, for the total row
  std::vector<std::string> short_names_;           // by row, filled when first drawn
  std::vector<uint8_t> selected_;                  // by row
  int current_ = -1, anchor_ = -1;
  int menu_column_ = -1;  // data column under the mouse when the menu opened
  LatestJob<RowEvents> menu_job_;
  RowEvents menu_events_;      // what that row's menu filters the timeline to, when it is found
  bool filter_asked_ = false;  // the user chose it before it was found
  uint64_t key_ = 0, columns_key_ = 0, rebuilds_ = 0;
  float measured_at_ = 0, measured_width_ = 0;  // font size and the room there was
  bool bars_ = true;  // shares have bars; without room their numbers alone
  float min_width_ = 0;
  bool rows_scroll_ = true;
  bool fitted_ = false;  // the widths were chosen anew since the table was drawn
  float fitted_room_ = 0;
  uint64_t fitted_columns_ = 0;  // columns_key_ then
  bool dirty_ = true, scroll_to_current_ = false, open_columns_ = false;
};

}  // namespace stepscope
