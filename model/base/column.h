// Column: the array that events are stored in. Owns its memory; one thread writes, then any number
// read.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include "model/base/memory.h"

namespace stepscope {

// A growing array without value-initialisation; large ones grow by mremap, so a column is written
// once. A first element takes the least that an allocator hands out: there may be a million tracks
// of one event, which is also why a column is 16 bytes. Growing throws std::bad_alloc, past 2^32 -
// 1 elements too (of bytes past what size_t holds).
template <typename T>
class Column {
  static_assert(std::is_trivially_copyable_v<T>);
  // Of what there is one for each row 32 bits are enough; of bytes they are not.
  using Size = std::conditional_t<sizeof(T) == 1, size_t, uint32_t>;
  static constexpr size_t kMost = std::numeric_limits<Size>::max();

 public:
  Column() = default;
  ~Column() { FreeBlock(data_, size_t{capacity_} * sizeof(T)); }
  Column(Column&& o) noexcept { Swap(o); }
  Column& operator=(Column&& o) noexcept {
    Swap(o);
    return *this;
  }
  Column(const Column&) = delete;
  Column& operator=(const Column&) = delete;
  void push_back(T v) {
    if (size_ == capacity_) Grow();
    data_[size_++] = v;
  }
  void Reserve(size_t n) {
    if (n > capacity_) SetCapacity(n);
  }
  void Resize(size_t n) {  // new elements are uninitialised
    Reserve(n);
    size_ = static_cast<Size>(n);
  }
  void Zero(size_t n) {  // n zeros, whatever it held; of many only those that are touched cost
    Release();
    if (n > kMost) throw std::bad_alloc();
    data_ = static_cast<T*>(ZeroBlock(n * sizeof(T)));
    size_ = capacity_ = static_cast<Size>(n);
  }
  void ShrinkToFit() {
    if (size_ < capacity_) SetCapacity(size_);
  }
  void Release() {  // gives the memory back
    SetCapacity(0);
    size_ = 0;
  }
  T* data() { return data_; }
  const T* data() const { return data_; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  size_t capacity() const { return capacity_; }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  std::span<const T> span() const { return {data_, size_}; }

 private:
  void Swap(Column& o) {
    std::swap(data_, o.data_);
    std::swap(size_, o.size_);
    std::swap(capacity_, o.capacity_);
  }
  void Grow() {
    const size_t more = size_t{capacity_} + capacity_ / 2 + kFirst;
    SetCapacity(capacity_ < kMost ? std::min(more, kMost) : more);
  }
  void SetCapacity(size_t n) {
    if (n > kMost) throw std::bad_alloc();
    data_ = static_cast<T*>(ResizeBlock(data_, size_t{capacity_} * sizeof(T), n * sizeof(T)));
    capacity_ = static_cast<Size>(n);
  }

  static constexpr size_t kFirst = sizeof(T) < 24 ? 24 / sizeof(T) : 1;

  T* data_ = nullptr;
  Size size_ = 0, capacity_ = 0;
};

}  // namespace stepscope
