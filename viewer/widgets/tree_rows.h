// TreeRows: the order in which the rows of a tree are shown. The tree is a table in depth-first
// order with the depth of each row. Pure; one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "model/analysis/tables/result_table.h"

namespace stepscope {

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

}  // namespace stepscope
