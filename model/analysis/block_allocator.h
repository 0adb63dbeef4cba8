// BlockAllocator: gives a std::vector of many elements the memory that columns have (column.h).
// Stateless; any thread.
#pragma once

#include <cstddef>

#include "model/base/column.h"

namespace stepscope {

template <typename T>
struct BlockAllocator {
  using value_type = T;

  BlockAllocator() = default;
  template <typename U>
  explicit BlockAllocator(const BlockAllocator<U>&) {}

  T* allocate(size_t n) { return static_cast<T*>(ZeroBlock(n * sizeof(T))); }
  void deallocate(T* block, size_t n) noexcept { FreeBlock(block, n * sizeof(T)); }
  bool operator==(const BlockAllocator&) const = default;
};

}  // namespace stepscope
