// RowBits: a set of rows of a TrackSet, as one bit for each row: n / 8 bytes. Different threads may
// write different words of it at once. Rows outside the set are never in it.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace stepscope {

class RowBits {
 public:
  static constexpr uint32_t kWord = 64;  // rows in a word

  RowBits() = default;
  explicit RowBits(uint32_t rows) : rows_(rows), words_((size_t{rows} + kWord - 1) / kWord) {}

  uint32_t rows() const { return rows_; }
  bool Has(uint32_t row) const {
    return row < rows_ && (words_[row / kWord] >> (row % kWord) & 1) != 0;
  }
  void Set(uint32_t row) {
    if (row < rows_) words_[row / kWord] |= uint64_t{1} << (row % kWord);
  }
  void Clear(uint32_t row) {
    if (row < rows_) words_[row / kWord] &= ~(uint64_t{1} << (row % kWord));
  }
  uint64_t Count() const {
    uint64_t n = 0;
    for (const uint64_t word : words_) n += static_cast<uint64_t>(std::popcount(word));
    return n;
  }
  std::vector<uint32_t> Rows() const {  // ascending
    std::vector<uint32_t> rows;
    rows.reserve(static_cast<size_t>(Count()));
    ForEach([&rows](uint32_t row) { rows.push_back(row); });
    return rows;
  }
  // Calls fn(row) for the rows in [first, end), ascending. O(words + rows found).
  template <typename Fn>
  void ForEach(uint32_t first, uint32_t end, Fn fn) const {
    if (end > rows_) end = rows_;
    for (uint32_t w = first / kWord; first < end && w <= (end - 1) / kWord; ++w) {
      uint64_t word = words_[w];
      if (w == first / kWord) word &= ~uint64_t{0} << (first % kWord);
      for (; word != 0; word &= word - 1) {
        const uint32_t row = w * kWord + static_cast<uint32_t>(std::countr_zero(word));
        if (row >= end) return;
        fn(row);
      }
    }
  }
  template <typename Fn>
  void ForEach(Fn fn) const {
    ForEach(0, rows_, fn);
  }

 private:
  uint32_t rows_ = 0;
  std::vector<uint64_t> words_;
};

}  // namespace stepscope
