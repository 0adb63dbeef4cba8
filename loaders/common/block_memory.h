// BlockMemory: gives std::pmr containers the memory that columns have (model/base/memory.h). With a
// std::pmr::monotonic_buffer_resource on top, many small arrays that live equally long share large
// blocks, which cost less than one allocation each. Stateless; any thread.
#pragma once

#include <cstddef>
#include <memory_resource>

#include "model/base/memory.h"

namespace stepscope {

class BlockMemory final : public std::pmr::memory_resource {
 private:
  // Blocks are aligned for every type that asks for no more than std::max_align_t.
  void* do_allocate(size_t bytes, size_t /*alignment*/) override { return ZeroBlock(bytes); }
  void do_deallocate(void* block, size_t bytes, size_t /*alignment*/) override {
    FreeBlock(block, bytes);
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return dynamic_cast<const BlockMemory*>(&other) != nullptr;
  }
};

}  // namespace stepscope
