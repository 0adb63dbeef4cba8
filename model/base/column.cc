#include "model/base/column.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

namespace stepscope {
namespace {

// From this size on blocks are mapped. glibc maps large blocks too, but its threshold grows with
// each freed block, and its heap then keeps the memory. Sanitizers get all blocks from malloc, so
// that they see the bounds of each column.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr size_t kMapFrom = ~size_t{0};
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
constexpr size_t kMapFrom = ~size_t{0};
#else
constexpr size_t kMapFrom = size_t{256} << 10;
#endif
#else
constexpr size_t kMapFrom = size_t{256} << 10;
#endif

// A block that is mapped with at least this size asks for huge pages, which are faulted in at a
// fifth of the cost. For smaller blocks the rest of the last page would be too large a part.
constexpr size_t kHugeFrom = size_t{4} << 20;

void* Map(size_t bytes) {
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) throw std::bad_alloc();
  if (bytes >= kHugeFrom) (void)madvise(p, bytes, MADV_HUGEPAGE);
  return p;
}

}  // namespace

void* ZeroBlock(size_t bytes) {
  if (bytes == 0) return nullptr;
  void* p = bytes >= kMapFrom ? Map(bytes) : std::calloc(bytes, 1);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}

bool MakeBlocks(std::span<const size_t> bytes, std::span<void*> blocks) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const auto pages = [page](size_t n) { return (n + page - 1) / page * page; };
  size_t all = 0;
  for (const size_t n : bytes) {
    if (n < kMapFrom || __builtin_add_overflow(all, pages(n), &all)) return false;
  }
  auto* at = static_cast<std::byte*>(Map(all));
  for (size_t i = 0; i < bytes.size(); ++i) {
    blocks[i] = at;
    at += pages(bytes[i]);
  }
  return true;
}

void FreeBlock(void* block, size_t bytes) noexcept {
  if (block == nullptr) return;
  if (bytes >= kMapFrom) {
    munmap(block, bytes);
  } else {
    std::free(block);
  }
}

void* ResizeBlock(void* block, size_t old_bytes, size_t new_bytes) {
  if (new_bytes == 0) {
    FreeBlock(block, old_bytes);
    return nullptr;
  }
  const bool was_mapped = block != nullptr && old_bytes >= kMapFrom;
  if (was_mapped && new_bytes >= kMapFrom) {
    void* p = mremap(block, old_bytes, new_bytes, MREMAP_MAYMOVE);
    if (p == MAP_FAILED) throw std::bad_alloc();
    return p;
  }
  if (!was_mapped && new_bytes < kMapFrom) {
    void* p = std::realloc(block, new_bytes);
    if (p == nullptr) throw std::bad_alloc();
    return p;
  }
  void* p = new_bytes >= kMapFrom ? Map(new_bytes) : std::malloc(new_bytes);
  if (p == nullptr) throw std::bad_alloc();
  if (block != nullptr) {
    std::memcpy(p, block, std::min(old_bytes, new_bytes));
    FreeBlock(block, old_bytes);
  }
  return p;
}

}  // namespace stepscope
