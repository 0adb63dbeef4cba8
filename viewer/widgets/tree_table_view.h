// TreeTableView: a table of analyses whose rows are a tree (tree_rows.h). Rows open and close by
// click and by arrow keys, siblings are sorted by a heading, a filter shows what it matches with
// all that it is in, and a double click shows the events of a row and of all in it. Owns widget
// state only. A frame costs O(visible rows). UI thread only.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "viewer/core/panel.h"
#include "viewer/widgets/draw_text.h"
#include "viewer/widgets/tree_rows.h"

namespace stepscope {

struct TreeTableOptions {
  const char* id = "tree";
  const char* name_column = "name";
  const char* depth_column = "depth";
  const char* size_column = "";            // by which rows are opened at first
  std::span<const char* const> columns{};  // shown beside the name, in this order
};

class TreeTableView {
 public:
  // The filter's box, and a button that exports the table.
  void DrawToolbar(const PanelContext& context, const ResultTable& table);
  // `key` changes whenever the table may have changed.
  void Draw(const PanelContext& context, const ResultTable& table, uint64_t key,
            const TreeTableOptions& options);
  int current() const { return current_; }  // the chosen row, at first the largest leaf; -1: none
  void SetFilter(std::string_view text);
  // The events of a row and of the rows in it.
  static CommandArgs EventsOf(const PanelContext& context, const ResultTable& table,
                              const TreeRows& tree, uint32_t row);

 private:
  struct Column {
    int data = 0;
    NumberFormat format{};
    float width = 0;
    bool numeric = false, bar = false;
  };
  void Prepare(const ResultTable& table, uint64_t key, const TreeTableOptions& options);
  void ApplyFilter(const ResultTable& table);
  void TakeSort(const ResultTable& table);
  void DrawHeadings(const PanelContext& context, const ResultTable& table);
  void DrawRow(const PanelContext& context, const ResultTable& table, uint32_t row, float height);
  void DrawName(const PanelContext& context, const ResultTable& table, uint32_t row,
                float left) const;
  static void DrawNumber(const PanelContext& context, const ResultTable& table,
                         const Column& column, uint32_t row);
  void HandleKeys(const PanelContext& context, const ResultTable& table, float height);

  TreeRows tree_;
  std::vector<Column> columns_;
  std::array<char, 256> filter_{};
  int name_ = 0, size_ = -1, current_ = -1, sorted_ = -1;
  bool descending_ = false, filter_changed_ = false, scroll_ = false;
  uint64_t key_ = 0;
};

}  // namespace stepscope
