// Memory for columns. Small blocks come from malloc. Large ones are mapped: they grow without a
// copy (mremap), shrink at once, and go back to the system when freed. Stateless; any thread.
#pragma once

#include <cstddef>
#include <span>

namespace stepscope {

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

}  // namespace stepscope
