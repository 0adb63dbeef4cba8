// SparseColumn: one value for some rows of a trace. Entries lie in blocks of up to 256. Each block
// stores rows and values as narrow as they allow: no rows if they follow one another, no values if
// all are equal, else distances from the least. Typed stats repeat, count up or stay near one
// another, so an entry takes two to three bytes instead of twelve. Owns its memory. One thread
// appends, then any number of threads may read.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
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
 private:
  static constexpr size_t kBlockEntries = 256;
  // A decoded block.
  struct Entries {
    std::array<uint32_t, kBlockEntries> rows;
    std::array<uint64_t, kBlockEntries> bits;
  };

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
    Entries entries;
    for (size_t b = BlockOf(first); b < blocks_.size() && blocks_[b].first_row < end; ++b) {
      const uint32_t n = Read(b, &entries);
      for (uint32_t i = 0; i < n; ++i) {
        const uint32_t row = entries.rows[i];
        if (row >= end) return;
        if (row >= first) fn(row, FromBits(entries.bits[i]));
      }
    }
  }
  template <typename Fn>
  void ForAll(Fn fn) const {
    ForRange(0, ~uint32_t{0}, fn);
  }

  // Says how many entries ForRange visits at most, and bounds their values. O(log n + blocks).
  struct Extent {
    size_t entries = 0;
    int64_t least = std::numeric_limits<int64_t>::max();
    int64_t greatest = std::numeric_limits<int64_t>::min();
  };
  Extent ExtentOf(uint32_t first, uint32_t end) const requires std::is_same_v<T, int64_t>;

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  size_t bytes() const { return bytes_.size() + blocks_.size() * sizeof(Block); }

  // Reads values of ascending rows, each in O(1) amortised. Borrows the column. Not thread-safe.
  // Takes 3 KB.
  class Cursor {
   public:
    explicit Cursor(const SparseColumn& column) : column_(&column) { Enter(0); }
    // Call it before a series of ascending rows that begins at `row`. O(log n).
    void Seek(uint32_t row) { Enter(column_->BlockOf(row)); }
    // The row's value, or `missing`. Rows must ascend between two Seeks.
    T Get(uint32_t row, T missing) {
      if (row_ < row) Advance(row);
      return row_ == row && row != kEnd ? Value() : missing;
    }

   private:
    static constexpr uint32_t kEnd = ~uint32_t{0};  // no entry has this row

    uint32_t FirstRow(size_t block) const {
      return block < column_->blocks_.size() ? column_->blocks_[block].first_row : kEnd;
    }
    void Enter(size_t block) {
      block_ = block;
      i_ = count_ = 0;
      row_ = FirstRow(block);
      next_first_ = FirstRow(block + 1);
    }
    void Advance(uint32_t row) {
      while (next_first_ <= row && next_first_ != kEnd) Enter(block_ + 1);
      if (row_ >= row) return;
      Decode();
      while (row_ < row && i_ + 1 < count_) row_ = entries_.rows[++i_];
      if (row_ < row) Enter(block_ + 1);
    }
    void Decode() {  // a block that the rows pass by is not decoded
      if (count_ == 0) count_ = column_->Read(block_, &entries_);
    }
    T Value() {
      Decode();
      return FromBits(entries_.bits[i_]);
    }

    const SparseColumn* column_;
    size_t block_ = 0;
    uint32_t i_ = 0;
    uint32_t count_ = 0;  // the entries of the block, once they are decoded
    // The rows of the entry that the cursor is at and of the first entry of the next block.
    uint32_t row_ = kEnd, next_first_ = kEnd;
    Entries entries_;
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

  void AppendBlock(std::span<const uint32_t> rows, std::span<const uint64_t> bits);
  void ReserveBytes(size_t n);
  uint32_t Read(size_t block, Entries* out) const;  // decodes the block and returns its entries
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
