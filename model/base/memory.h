// Memory of large columns: small blocks come from malloc, large ones are mapped, so that they grow
// without copying (mremap), shrink at once, and go back to the system when freed. Stateless; any
// thread.
#pragma once

#include <cstddef>

namespace stepscope {

// Resizes a block of `old_bytes` (null and 0 at first) to `new_bytes`; contents up to the smaller
// size are kept, the rest is uninitialised. 0 frees it and returns null. Throws std::bad_alloc,
// then the old block still stands.
void* ResizeBlock(void* block, size_t old_bytes, size_t new_bytes);
// A block of zeros; a large one takes its memory page by page as it is touched.
void* ZeroBlock(size_t bytes);
void FreeBlock(void* block, size_t bytes) noexcept;

}  // namespace stepscope
