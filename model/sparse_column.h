// SparseColumn: one value for some rows of a trace. Entries lie in blocks of up to 256. Each block
// stores rows and values as narrow as they allow: no rows if they follow one another, no values if
// all are equal, else distances from the least. Typed stats repeat, count up or stay near one
// another, so an entry takes two to three bytes instead of twelve. Owns its memory. One thread
// appends, then any number of threads may read.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "model/base/column.h"
#include "model/ids.h"

namespace stepscope {

// T: int64_t, double or StringId.
template <typename T>
class SparseColumn {
 public:
  // Adds entries. Their rows must ascend and be larger than those already
  // there. O(n). Throws std::bad_alloc.
  void Append(std::span<const uint32_t> rows, std::span<const T> values);
  // The same for values as bits: those of an integer or a double, or a StringId's number.
  void AppendBits(std::span<const uint32_t> rows, std::span<const uint64_t> bits);
  void Append(const SparseColumn& part);  // copies the blocks of `part`
  void Clear();                           // keeps the allocated memory
  void ShrinkToFit();

  std::optional<T> Find(EventRow row) const;  // O(log n)
  // Calls fn(row, value) for the entries with first <= row < end, ascending. O(log n + found).
  template <typename Fn>
  void ForRange(uint32_t first, uint32_t end, Fn fn) const {
    for (size_t b = BlockOf(first); b < blocks_.size() && blocks_[b].first_row < end; ++b) {
      const uint32_t n = blocks_[b].last + 1u;
      for (uint32_t i = 0; i < n; ++i) {
        const uint32_t row = RowAt(b, i);
        if (row >= end) return;
        if (row >= first) fn(row, ValueAt(b, i));
      }
    }
  }
  template <typename Fn>
  void ForAll(Fn fn) const {
    ForRange(0, ~uint32_t{0}, fn);
  }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  size_t bytes() const { return bytes_.size() + blocks_.size() * sizeof(Block); }

  // Reads values of ascending rows, each in O(1) amortised. Borrows the column. Not thread-safe.
  class Cursor {
   public:
    explicit Cursor(const SparseColumn& column) : column_(&column) {}
    // Call it before a series of ascending rows that begins at `row`. O(log n).
    void Seek(uint32_t row) { Enter(column_->BlockOf(row)); }
    // The row's value, or `missing`. Rows must ascend between two Seeks.
    T Get(uint32_t row, T missing) {
      while (row_ < row) Next(row);
      return row_ == row && block_ < column_->blocks_.size() ? column_->ValueAt(block_, i_)
                                                             : missing;
    }

   private:
    void Enter(size_t block) {
      block_ = block;
      i_ = 0;
      row_ = block < column_->blocks_.size() ? column_->blocks_[block].first_row : ~uint32_t{0};
    }
    void Next(uint32_t row) {
      const auto& blocks = column_->blocks_;
      if (block_ + 1 < blocks.size() && blocks[block_ + 1].first_row <= row) {
        Enter(block_ + 1);
      } else if (i_ < blocks[block_].last) {
        row_ = column_->RowAt(block_, ++i_);
      } else {
        Enter(block_ + 1);
      }
    }

    const SparseColumn* column_;
    size_t block_ = 0;
    uint32_t i_ = 0;
    // The row of the entry that the cursor is at. No entry has row ~0, which marks the end.
    uint32_t row_ = column_->blocks_.empty() ? ~uint32_t{0} : column_->blocks_[0].first_row;
  };

 private:
  struct Block {
    uint64_t base;        // the least value's bits
    uint64_t offset;      // in bytes_: distances of rows from first_row, then values from base
    uint32_t first_row;   // ascending over the blocks
    uint8_t last;         // entries - 1
    uint8_t row_width;    // bytes: 0 (rows follow one another), 1, 2 or 4
    uint8_t value_width;  // bytes: 0 (all are base), 1, 2, 4 or 8
  };
  static constexpr size_t kBlockEntries = 256;

  void AppendBlock(std::span<const uint32_t> rows, std::span<const uint64_t> bits);
  void ReserveBytes(size_t n);
  // The last block that begins at or before the row; the first block if none does.
  size_t BlockOf(uint32_t row) const;

  static uint64_t Load(const std::byte* p, uint8_t width, size_t i) {
    uint64_t v = 0;
    switch (width) {  // constant sizes, so that each memcpy becomes one load
      case 1:
        return static_cast<uint64_t>(p[i]);
      case 2:
        std::memcpy(&v, p + i * 2, 2);
        return v;
      case 4:
        std::memcpy(&v, p + i * 4, 4);
        return v;
      case 8:
        std::memcpy(&v, p + i * 8, 8);
        return v;
      default:
        return 0;
    }
  }
  uint32_t RowAt(size_t block, uint32_t i) const {
    const Block& b = blocks_[block];
    if (b.row_width == 0) return b.first_row + i;
    return b.first_row + static_cast<uint32_t>(Load(bytes_.data() + b.offset, b.row_width, i));
  }
  T ValueAt(size_t block, uint32_t i) const {
    const Block& b = blocks_[block];
    const size_t values = b.offset + (b.last + size_t{1}) * b.row_width;
    return FromBits(b.base + Load(bytes_.data() + values, b.value_width, i));
  }

  static uint64_t ToBits(T value) {
    if constexpr (std::is_same_v<T, StringId>) {
      return value.value;
    } else {
      return std::bit_cast<uint64_t>(value);
    }
  }
  static T FromBits(uint64_t bits) {
    if constexpr (std::is_same_v<T, StringId>) {
      return StringId(static_cast<uint32_t>(bits));
    } else {
      return std::bit_cast<T>(bits);
    }
  }

  std::vector<Block> blocks_;
  Column<std::byte> bytes_;
  size_t size_ = 0;
};

template <typename T>
using ColumnCursor = typename SparseColumn<T>::Cursor;

extern template class SparseColumn<int64_t>;
extern template class SparseColumn<StringId>;
extern template class SparseColumn<double>;

}  // namespace stepscope
