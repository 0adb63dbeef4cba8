// EventRows: a list of events, in any order, made of immutable parts that lists share. A copy or an
// Append() takes time for the parts, not for their events; a part lives as long as its last owner.
// A part of one event is stored in the list itself, because most rows of a table link to one event.
// Any thread may read a list.
#pragma once

#include <cstddef>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

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

}  // namespace stepscope
