// QueryPlot: two columns of numbers of a result as points. The points are made when the table or
// the choice changes; a frame costs O(points), of which there are at most kMost. UI thread only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "viewer/core/panel.h"

namespace stepscope {

class QueryPlot {
 public:
  static constexpr size_t kMost = 20'000;

  // Whether a table has a column of numbers to plot over its rows or over another one.
  static bool Can(const ResultTable& table);
  // `key` changes with the table. Takes the rest of the window.
  void Draw(const PanelContext& context, const ResultTable& table, uint64_t key);

 private:
  void Choose(const ResultTable& table, const char* id, int* column, bool rows);
  void MakePoints(const ResultTable& table);

  int x_ = -1, y_ = -1;  // columns; x: -1 stands for the number of the row
  uint64_t key_ = 0;
  bool lines_ = false, stale_ = true;
  bool fit_ = false;  // the plot shows all points at first
  std::vector<double> xs_, ys_;
  std::string x_label_, y_label_;
  size_t left_out_ = 0;  // rows beyond kMost
};

}  // namespace stepscope
