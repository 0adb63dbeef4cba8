// RunReader: reads a column for rows that mostly ascend, such as those of a device's streams one
// after the other. A row that ascends takes O(1) amortised, another one O(log n). Borrows the
// column. One thread.
#pragma once

#include <cstdint>

#include "model/sparse_column.h"

namespace stepscope {

template <typename T>
class RunReader {
 public:
  explicit RunReader(const SparseColumn<T>& column) : cursor_(column) {}
  T Get(uint32_t row, T missing) {
    if (row < next_) cursor_.Seek(row);
    next_ = row;
    return cursor_.Get(row, missing);
  }

 private:
  ColumnCursor<T> cursor_;
  uint32_t next_ = ~uint32_t{0};
};

}  // namespace stepscope
