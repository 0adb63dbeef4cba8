// EventRows: a list of events, in any order, made of immutable parts that lists share. A copy or an
// Append() takes time for the parts, not for their events; a part lives as long as its last owner.
// A part of one event is stored in the list itself, because most rows of a table link to one event.
// Any thread may read a list.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "model/base/column.h"
#include "model/ids.h"

namespace stepscope {

class EventRows {
  struct Part {
    std::shared_ptr<const std::vector<EventRow>> events;  // null: `only`; else two or more
    EventRow only;
    size_t size() const { return events ? events->size() : 1; }
    const EventRow& operator[](size_t i) const { return events ? (*events)[i] : only; }
  };

 public:
  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = EventRow;
    using difference_type = std::ptrdiff_t;
    using pointer = const EventRow*;
    using reference = const EventRow&;

    Iterator() = default;
    Iterator(const EventRows* list, size_t part) : list_(list), part_(part) {}
    reference operator*() const { return list_->part(part_)[at_]; }
    pointer operator->() const { return &**this; }
    Iterator& operator++() {
      if (++at_ == list_->part(part_).size()) ++part_, at_ = 0;
      return *this;
    }
    Iterator operator++(int) {
      Iterator before = *this;
      ++*this;
      return before;
    }
    bool operator==(const Iterator&) const = default;

   private:
    const EventRows* list_ = nullptr;
    size_t part_ = 0, at_ = 0;
  };

  EventRows() = default;
  explicit EventRows(std::vector<EventRow> rows) : size_(rows.size()) {
    if (size_ == 1) first_.only = rows.front();
    if (size_ > 1) {
      rows.shrink_to_fit();
      first_.events = std::make_shared<const std::vector<EventRow>>(std::move(rows));
    }
  }

  void Append(EventRows more) {  // by value, because it may be this list
    if (more.empty()) return;
    if (empty()) {
      *this = std::move(more);
      return;
    }
    size_ += more.size_;
    more_.push_back(std::move(more.first_));
    more_.insert(more_.end(), std::make_move_iterator(more.more_.begin()),
                 std::make_move_iterator(more.more_.end()));
  }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  EventRow front() const { return first_[0]; }  // the list must not be empty
  Iterator begin() const { return Iterator(this, 0); }
  Iterator end() const { return Iterator(this, empty() ? 0 : 1 + more_.size()); }

 private:
  const Part& part(size_t i) const { return i == 0 ? first_ : more_[i - 1]; }

  Part first_;              // meaningless if the list is empty
  std::vector<Part> more_;  // the parts after the first
  size_t size_ = 0;
};

// GroupedRows: takes the events of numbered groups in any order and makes a list of each group.
// Lists that grow would be copied again and again; these are made at their size. Owns its memory,
// which it keeps for the next use. One thread.
class GroupedRows {
 public:
  void Add(uint32_t group, EventRow row) { added_.push_back({group, row}); }

  // The events of each group in [0, groups), in the order in which they were added; all groups must
  // be in it. Afterwards this is empty. O(events + groups).
  std::vector<EventRows> Take(uint32_t groups) {
    std::vector<uint32_t> sizes(groups);
    for (const Added& added : added_) ++sizes[added.group];
    std::vector<std::vector<EventRow>> rows(groups);
    for (uint32_t g = 0; g < groups; ++g) rows[g].reserve(sizes[g]);
    for (const Added& added : added_) rows[added.group].push_back(added.row);
    added_.clear();
    std::vector<EventRows> lists;
    lists.reserve(groups);
    for (std::vector<EventRow>& of_group : rows) lists.emplace_back(std::move(of_group));
    return lists;
  }

 private:
  struct Added {
    uint32_t group;
    EventRow row;
  };
  std::vector<Added> added_;
};

// RowsById: a row for each id, where ids are dense: 4 bytes an id. One thread fills it, or several
// through Entry; then any thread may ask.
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

// RowMap: rows of an original (a file, a whole trace) to rows of what has been made of it, and
// back. Rows that were left out have no counterpart. Ranges ascend on both sides. O(log ranges).
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
