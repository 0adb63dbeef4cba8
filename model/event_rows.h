// EventRows: a list of events in immutable parts, which all lists made of it share: a copy or an
// Append() costs its parts, not its events, and a part lives as long as its last owner. Any thread
// may read one. In no order of time.
#pragma once

#include <cstddef>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "model/ids.h"

namespace stepscope {

class EventRows {
  using Part = std::shared_ptr<const std::vector<EventRow>>;  // never null, never empty

 public:
  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = EventRow;
    using difference_type = std::ptrdiff_t;
    using pointer = const EventRow*;
    using reference = const EventRow&;

    Iterator() = default;
    explicit Iterator(const Part* part) : part_(part) {}
    reference operator*() const { return (**part_)[at_]; }
    pointer operator->() const { return &**this; }
    Iterator& operator++() {
      if (++at_ == (*part_)->size()) ++part_, at_ = 0;
      return *this;
    }
    Iterator operator++(int) {
      Iterator before = *this;
      ++*this;
      return before;
    }
    bool operator==(const Iterator&) const = default;

   private:
    const Part* part_ = nullptr;
    size_t at_ = 0;
  };

  EventRows() = default;
  explicit EventRows(std::vector<EventRow> rows) : size_(rows.size()) {
    if (size_ > 0) parts_.push_back(std::make_shared<const std::vector<EventRow>>(std::move(rows)));
  }

  void Append(EventRows more) {  // a copy: it may be this list
    size_ += more.size_;
    parts_.insert(parts_.end(), std::make_move_iterator(more.parts_.begin()),
                  std::make_move_iterator(more.parts_.end()));
  }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  EventRow front() const { return parts_.front()->front(); }  // of a list that is not empty
  Iterator begin() const { return Iterator(parts_.data()); }
  Iterator end() const { return Iterator(parts_.data() + parts_.size()); }

 private:
  std::vector<Part> parts_;
  size_t size_ = 0;
};

}  // namespace stepscope
