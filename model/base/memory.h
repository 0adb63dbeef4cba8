// Memory for columns. Small blocks come from malloc. Large ones are mapped: they grow without a
// copy (mremap), shrink at once, and go back to the system when freed. Stateless; any thread.
#pragma once

#include <cstddef>

namespace stepscope {

// Resizes a block of `old_bytes` (null and 0 at first) to `new_bytes`. Keeps the contents up to the
// smaller size; the rest is uninitialised. With 0 it frees the block and returns null. Throws
// std::bad_alloc and then leaves the old block as it is.
void* ResizeBlock(void* block, size_t old_bytes, size_t new_bytes);
// A block of zeros. The pages of a large one take memory when they are
// touched. Throws std::bad_alloc.
void* ZeroBlock(size_t bytes);
void FreeBlock(void* block, size_t bytes) noexcept;

}  // namespace stepscope
