// RowMap: rows of an original (a file, a whole trace) to rows of what has been made of it, and
// back. Rows that were left out have no counterpart. Ranges ascend on both sides. O(log ranges).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "model/ids.h"

namespace stepscope {

class RowMap {
 public:
  // Ranges must come in ascending order.
  void Add(uint32_t original, uint32_t count) {
    if (count == 0) return;
    if (!ranges_.empty() && ranges_.back().original + ranges_.back().count == original) {
      ranges_.back().count += count;
    } else {
      ranges_.push_back({original, rows_, count});
    }
    rows_ += count;
  }
  uint32_t rows() const { return rows_; }  // of the part
  EventRow InPart(uint32_t row) const { return Find(row, &Range::original, &Range::part); }
  EventRow InOriginal(uint32_t row) const { return Find(row, &Range::part, &Range::original); }

 private:
  struct Range {
    uint32_t original, part, count;
  };
  EventRow Find(uint32_t row, uint32_t Range::*from, uint32_t Range::*to) const {
    const auto after = std::upper_bound(
        ranges_.begin(), ranges_.end(), row,
        [from](uint32_t value, const Range& range) { return value < range.*from; });
    if (after == ranges_.begin()) return {};
    const Range& range = *(after - 1);
    const uint32_t i = row - range.*from;
    return i < range.count ? EventRow(range.*to + i) : EventRow();
  }

  std::vector<Range> ranges_;
  uint32_t rows_ = 0;
};

}  // namespace stepscope
