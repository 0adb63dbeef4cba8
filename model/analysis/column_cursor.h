// ColumnCursor: reads a SparseColumn for ascending rows in O(1) amortised. Not thread-safe; borrows
// the column.
#pragma once

#include <algorithm>
#include <cstdint>

#include "model/stats.h"

namespace stepscope {

template <typename T>
class ColumnCursor {
 public:
  explicit ColumnCursor(const SparseColumn<T>& column) : column_(column) {}

  // Before a run of ascending rows that begins at `row`. O(log n).
  void Seek(uint32_t row) {
    at_ = static_cast<size_t>(std::lower_bound(column_.rows.begin(), column_.rows.end(), row) -
                              column_.rows.begin());
  }
  // The row's value, or `missing`. Rows must ascend between two Seeks.
  T Get(uint32_t row, T missing) {
    while (at_ < column_.rows.size() && column_.rows[at_] < row) ++at_;
    return at_ < column_.rows.size() && column_.rows[at_] == row ? column_.values[at_] : missing;
  }

 private:
  const SparseColumn<T>& column_;
  size_t at_ = 0;
};

}  // namespace stepscope
