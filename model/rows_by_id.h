// RowsById: a row for each id, where ids are dense: 4 bytes an id. One thread fills it, or several
// through Entry; then any thread may ask.
#pragma once

#include <cstdint>

#include "model/base/column.h"
#include "model/ids.h"

namespace stepscope {

class RowsById {
 public:
  // Makes room for the ids from `least` to `greatest`, of which `count` have rows. False: they lie
  // too far apart, and no id has a row here. Throws std::bad_alloc.
  bool Open(int64_t least, int64_t greatest, size_t count) {
    const uint64_t span = static_cast<uint64_t>(greatest) - static_cast<uint64_t>(least);
    if (count == 0 || span > 4 * count + 65536) return false;
    base_ = least;
    table_.Zero(static_cast<size_t>(span) + 1);
    return true;
  }
  bool empty() const { return table_.empty(); }
  // The row + 1, or 0, of an id that has room.
  uint32_t& Entry(int64_t id) { return table_[static_cast<size_t>(id - base_)]; }
  // Invalid if the id has none.
  EventRow Find(int64_t id) const {
    const uint64_t i = static_cast<uint64_t>(id) - static_cast<uint64_t>(base_);
    return i < table_.size() ? EventRow(table_[i] - 1) : EventRow();  // 0 - 1 is no row
  }

 private:
  Column<uint32_t> table_;  // by id - base_
  int64_t base_ = 0;
};

}  // namespace stepscope
