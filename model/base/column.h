// Column: the array that events are stored in. Owns its memory. One thread writes it, then any
// number of threads may read.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace stepscope {

// Memory for columns. Small blocks come from malloc. Large ones are mapped: they grow without a
// copy (mremap), shrink at once, and go back to the system when freed. Stateless; any thread.

// Resizes a block of `old_bytes` (null and 0 at first) to `new_bytes`. Keeps the contents up to the
// smaller size; the rest is uninitialised. With 0 it frees the block and returns null. Throws
// std::bad_alloc and then leaves the old block as it is.
void* ResizeBlock(void* block, size_t old_bytes, size_t new_bytes);
// A block of zeros. The pages of a large one take memory when they are
// touched. Throws std::bad_alloc.
void* ZeroBlock(size_t bytes);
void FreeBlock(void* block, size_t bytes) noexcept;
// Makes blocks of the given sizes that lie side by side, uninitialised. Huge pages, which the
// system clears at a fifth of the cost, then reach across them. Each is resized and freed by
// itself. False, and no blocks, where one of them would be too small to be mapped.
bool MakeBlocks(std::span<const size_t> bytes, std::span<void*> blocks);

// A growing array that leaves new elements uninitialised. A large one grows by mremap, without a
// copy (ResizeBlock). A column object takes 16 bytes and its first element 24, because a trace may
// have a million tracks of one event each. Growing throws std::bad_alloc if memory is short, and
// beyond 2^32 - 1 elements; a column of bytes may have as many as size_t counts.
template <typename T>
class Column {
  static_assert(std::is_trivially_copyable_v<T>);
  // Elements are one for each row, whose number fits 32 bits; bytes may be more.
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
  void Zero(size_t n) {  // replaces the contents by n zeros; pages take memory when touched
    Release();
    if (n > kMost) throw std::bad_alloc();
    data_ = static_cast<T*>(ZeroBlock(n * sizeof(T)));
    size_ = capacity_ = static_cast<Size>(n);
  }
  void ShrinkToFit() {
    if (size_ < capacity_) SetCapacity(size_);
  }
  void Release() {  // empties the column and frees its memory
    SetCapacity(0);
    size_ = 0;
  }
  // Makes room for n elements in each of several columns, which are small or empty, side by side in
  // memory where that helps (MakeBlocks).
  template <typename... Others>
  void ReserveWith(size_t n, Column<Others>*... others) {
    const std::array<size_t, sizeof...(others) + 1> bytes{n * sizeof(T), n * sizeof(Others)...};
    std::array<void*, bytes.size()> blocks{};
    if (n > kMost || !MakeBlocks(bytes, blocks)) {
      Reserve(n);
      (others->Reserve(n), ...);
      return;
    }
    size_t next = 0;
    Adopt(blocks[next++], n);
    (others->Adopt(blocks[next++], n), ...);
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
  template <typename Other>
  friend class Column;

  // Moves the elements to a block with room for n, which must be enough.
  void Adopt(void* block, size_t n) {
    if (size_ > 0) std::memcpy(block, data_, size_ * sizeof(T));
    FreeBlock(data_, size_t{capacity_} * sizeof(T));
    data_ = static_cast<T*>(block);
    capacity_ = static_cast<Size>(n);
  }
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
