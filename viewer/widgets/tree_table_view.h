// TreeTableView: a table of analyses whose rows are a tree (TreeRows). Rows open and close by
// click and by arrow keys, siblings are sorted by a heading, a filter shows what it matches with
// all that it is in, and a double click shows the events of a row and of all in it. Owns widget
// state only. A frame costs O(visible rows). UI thread only.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "model/analysis/tables/result_table.h"
#include "viewer/core/panel.h"
#include "viewer/widgets/draw_text.h"

namespace stepscope {

// TreeRows: the order in which the rows of a tree are shown. The tree is a table in depth-first
// order with the depth of each row. Pure; one thread.
class TreeRows {
 public:
  static constexpr uint32_t kNone = 0xffffffffu;

  TreeRows() = default;
  // A row's parent is the last row above it of smaller depth. O(rows).
  TreeRows(const ResultTable& table, int depth_column);

  size_t size() const { return parent_.size(); }
  uint32_t parent(uint32_t row) const { return parent_[row]; }  // kNone: a root
  uint32_t end(uint32_t row) const { return end_[row]; }        // one past its descendants
  bool leaf(uint32_t row) const { return end_[row] == row + 1; }
  uint32_t depth(uint32_t row) const;  // of the tree, whatever the depths of the table are

  // While rows are filtered, what leads to a match is open and SetOpen changes nothing.
  bool open(uint32_t row) const { return filtered_ || open_[row] != 0; }
  void SetOpen(uint32_t row, bool open);
  void OpenParents(uint32_t row);
  // Opens the rows with the largest values of the column, the largest first, while at most `rows`
  // are shown. O(rows * log).
  void OpenLargest(const ResultTable& table, int column, size_t rows);
  // Shows the rows for which `matches` holds, what they are in, and what is in them. Empty: all.
  void Filter(const std::function<bool(size_t row)>& matches);
  // Sorts the children of each row; a column of -1 is the table's order. O(rows * log).
  void Sort(const ResultTable& table, int column, bool descending);

  // The rows to show, from top to bottom. O(1), or O(shown rows) after a change.
  std::span<const uint32_t> Shown();

 private:
  std::span<const uint32_t> Children(uint32_t row) const;

  std::vector<uint32_t> parent_, end_;
  std::vector<uint32_t> first_child_;  // in children_; the roots are those of row size()
  std::vector<uint32_t> children_;
  std::vector<uint8_t> open_, kept_;
  std::vector<uint32_t> shown_;
  bool filtered_ = false, changed_ = true;
};

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
