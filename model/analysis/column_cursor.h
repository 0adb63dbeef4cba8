// ColumnCursor: reads a SparseColumn for ascending rows in O(1) amortised.
#pragma once

#include "model/sparse_column.h"

namespace stepscope {

template <typename T>
using ColumnCursor = typename SparseColumn<T>::Cursor;

}  // namespace stepscope
