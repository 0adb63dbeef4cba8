// The typed stats of a few thousand rows, by column, while they are parsed, and how such pieces
// become one table. One thread at a time.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "loaders/common/row_values.h"
#include "model/base/column.h"
#include "model/stats.h"

namespace stepscope::xplane {

inline constexpr uint32_t kRowsPerSlice = 2 << 10;

// The bit in the id of a text that marks one of the piece's own pool; the others are of the pool of
// the table that is made.
inline constexpr uint32_t kLocalText = 0x80000000u;

// The values of at most kRowsPerSlice rows, at most one for a row and column. It is used again for
// the next rows, so that it stays in the cache.
class SliceValues {
 public:
  // `own`: the value comes from the event itself. It wins over the metadata's; of several own
  // values the last one wins.
  void Put(uint32_t column, uint32_t row, uint64_t bits, bool own) {
    Entries& e = columns_[column];
    if (e.rows == nullptr) [[unlikely]]
      MakeRoom(column);
    const bool again = e.size > 0 && e.rows[e.size - 1] == row;
    if (again && !own) return;
    if (again) --e.size;
    e.rows[e.size] = row;
    e.bits[e.size++] = bits;
  }
  // The same for the first value of the row in a column with room.
  void PutNew(uint32_t column, uint32_t row, uint64_t bits) {
    Entries& e = columns_[column];
    e.rows[e.size] = row;
    e.bits[e.size++] = bits;
  }
  void MakeRoom(uint32_t column);
  // Packs all columns into the table and empties them.
  void MoveTo(StatTable* table);

 private:
  struct Entries {
    uint32_t size = 0;
    std::unique_ptr<uint32_t[]> rows;
    std::unique_ptr<uint64_t[]> bits;
    template <typename T>
    void MoveTo(SparseColumn<T>* out) {
      out->AppendBits({rows.get(), size}, {bits.get(), size});
      size = 0;
    }
  };
  std::array<Entries, kStatColumns> columns_;
};

// Appends the columns of pieces to the table, in their order, and empties the pieces. Texts that
// kLocalText marks become texts of the table. Uses all cores. O(values + texts)
void AppendPieces(std::span<StatTable* const> pieces, StatTable* table);

}  // namespace stepscope::xplane
